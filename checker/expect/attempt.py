"""One attempt, explored on the fence's own machines: at which calls chance has a say, and how the attempt can end.

A *node* is a model call or a commit that is about to happen; everything between two nodes is a step that costs
nothing, taken in the machine's own order (a test takes every other order). A host that is lost stays away until its
lease is over. Nothing here knows a rate: `kernel` does.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from fencebench.model.build import build
from fencebench.model.fence import Fence
from fencebench.model.machine import Machine, State, Transition
from fencebench.model.machines.ledger import Content
from fencebench.model.settings import FAULTS, Bound, Settings

STRIKING = ("preempt", "stall", "late", "lose_reply", "crash_driver")
"""Faults that cost something, and to which a user can give a rate."""

WAITING = frozenset({"renew", "resume", "elapse", "consume", "compensate", "publish"})
"""Steps that wait here: a stall lasts, a lost host stays away, a lease ages when nothing else moves."""

NEVER = (WAITING - {"elapse"}) | {"duplicate", "redeliver", "change_fixture", "skew", "forge"}
"""Actions that no attempt takes here: they wait, or are faults without a rate."""

DRAWING = frozenset({"restart", "resume_checkpoint", "grade"})
OF_WORKER = DRAWING | {"check_lease", "put", "send", "deliver"}
OF_DRIVER = frozenset({"recover", "tell_store", "reserve", "dispatch", "expire", "observe", "seal", "replay"})
WITHHELD = {"crash_driver": OF_DRIVER, "late": frozenset({"deliver"})}
"""Steps that cannot happen before the lease is over, by what holds its renewals up."""

Thing = TypeVar("Thing")
AMPLE_TOKENS = 10**15
"""A ceiling that no attempt meets; a run's own ceiling is for `admission`."""


class Scope(NamedTuple):
    """What an exploration depends on besides fence and settings: seconds, and which faults strike at all.

    More than `lost_replies` in one attempt count as so many.
    """

    seconds_per_case: float
    write_seconds: float
    lease_seconds: int
    restart_seconds: float
    faults: frozenset[str] = frozenset({"preempt"})
    lost_replies: int = 0


class Node(NamedTuple):
    """A state at a call or a commit; the age of a lease whose renewals `cause` holds up, and replies lost so far."""

    state: State
    age_seconds: float = 0
    cause: str = ""
    lost: int = 0


class End(NamedTuple):
    """How an attempt ends: `done`, `next` (the driver gave it up), or `never` (nothing moves any more).

    `wait_seconds` pass from the last call or fault until then. `checkpoint` is what the next attempt finds; `burned` is
    on the meter, `promised` what the ceiling still has to cover, in tokens.
    """

    kind: str
    checkpoint: Content | None
    burned: int
    promised: int
    wait_seconds: float = 0


class Place(NamedTuple):
    """What chance has to know of a node: cases of the call (0: a commit), whether it writes a checkpoint.

    `held_up`: nobody renews the lease. `follows` gives the number of what comes after each thing that may happen.
    """

    cases: int
    writes: bool
    held_up: bool
    follows: dict[str, int]


@dataclass(frozen=True)
class Attempts:
    """All that an attempt can do from one checkpoint: the tokens it asks for, places and ends by number, in order.

    The first place or end is where it begins; what follows a place has a higher number.
    """

    asked: int
    places: dict[int, Place]
    ends: dict[int, End]


@lru_cache(maxsize=256)
def explored(fence: Fence, settings: Settings, scope: Scope) -> dict[Content | None, Attempts]:
    """Return what an attempt can do from no checkpoint (None, first), and from each one that an attempt leaves."""
    explorer, found = Explorer(one_epoch(fence, settings), settings, scope), dict[Content | None, Attempts]()
    waiting: list[Content | None] = [None]
    while waiting:
        checkpoint = waiting.pop()
        if checkpoint not in found:
            found[checkpoint] = explorer.attempts(checkpoint)
            waiting += [end.checkpoint for end in found[checkpoint].ends.values() if end.kind == "next"]
    return found


def one_epoch(fence: Fence, settings: Settings) -> Machine:
    """Return the model of one shard with one epoch, and no ceiling."""
    caps = MappingProxyType({fault: int(fault in STRIKING) for fault in FAULTS})
    machine = build(fence, Bound(1, 1, len(STRIKING), caps, ceiling_tokens=AMPLE_TOKENS), settings)
    return replace(machine, actions=tuple(action for action in machine.actions if action.name not in NEVER))


def ordered(begin: Thing, follows: Callable[[Thing], Iterable[Thing]]) -> list[Thing]:
    """Return everything reachable, each thing before all that follow it; there is no circle."""
    known, after = {begin}, list[Thing]()
    path = [(begin, iter(follows(begin)))]
    while path:
        thing, rest = path[-1]
        fresh = next((other for other in rest if other not in known), None)
        if fresh is None:
            after.append(thing)
            path.pop()
        else:
            known.add(fresh)
            path.append((fresh, iter(follows(fresh))))
    return after[::-1]


@dataclass(frozen=True)
class Explorer:
    """Explores the attempts of a machine with one shard and one epoch."""

    machine: Machine
    settings: Settings
    scope: Scope

    def part(self, state: State, name: str) -> Any:
        """Return a part of the shard."""
        return state.units[0][self.machine.place[name]]

    def attempts(self, checkpoint: Content | None) -> Attempts:
        """Explore from a checkpoint."""
        unit = self.machine.changed(self.machine.initial.units[0], (("checkpoint", checkpoint),))
        begun = self.settled(Node(self.machine.initial._replace(units=(unit,))))
        follows = dict[Node | End, dict[str, Node | End]]()

        def next_of(node: Node | End) -> Iterable[Node | End]:
            follows[node] = self.follows(node) if isinstance(node, Node) else {}
            return follows[node].values()

        numbers = {node: number for number, node in enumerate(ordered(begun, next_of))}
        places = {
            numbers[node]: self.place(node, {what: numbers[n] for what, n in after.items()})
            for node, after in follows.items()
            if isinstance(node, Node)
        }
        ends = {number: node for node, number in numbers.items() if isinstance(node, End)}
        places = dict(sorted(places.items()))
        return Attempts(begun.state.shared.held if isinstance(begun, Node) else 0, places, ends)

    def place(self, node: Node, follows: dict[str, int]) -> Place:
        """Return what chance has to know of a node."""
        step = self.next_step(node)
        return Place(*(self.size(node, step) if step else (0, False)), bool(node.cause), follows)

    def size(self, node: Node, step: Transition) -> tuple[int, bool]:
        """Return how many cases a step grades, and whether it writes a checkpoint."""
        cases = (step.after.shared.burned - node.state.shared.burned) // self.settings.tokens_per_case
        return cases, self.part(step.after, "checkpoint") != self.part(node.state, "checkpoint")

    def seconds(self, node: Node, step: Transition) -> tuple[float, float]:
        """Return how long a call and the write of its checkpoint take; every other step takes no time."""
        cases, writes = self.size(node, step)
        return cases * self.scope.seconds_per_case, writes * self.scope.write_seconds

    def limit_seconds(self, node: Node) -> float:
        """Return the age of the lease at which the driver gives the attempt up: one that is down cannot."""
        restart = self.scope.restart_seconds if node.cause == "crash_driver" else 0
        return max(self.scope.lease_seconds, restart)

    def next_step(self, node: Node) -> Transition | None:
        """Return the next step that costs nothing, or the next call; None if only time can pass."""
        over = node.age_seconds >= self.limit_seconds(node)
        withheld = WAITING | (OF_WORKER if over else WITHHELD.get(node.cause, frozenset()))
        return next((s for s in self.steps(node) if not s.event.fault and s.event.action not in withheld), None)

    @cached_property
    def successors(self) -> Callable[[State], tuple[Transition, ...]]:
        """Return the machine's next-state relation, remembered for the states asked for last."""
        return lru_cache(maxsize=64)(lambda state: tuple(self.machine.successors(state)))

    def steps(self, node: Node) -> tuple[Transition, ...]:
        """Return the machine's own steps."""
        return self.successors(node.state)

    def taken(self, node: Node, step: Transition, seconds: float = 0) -> Node:
        """Return the node after a step that took some seconds; budgets of faults never run out."""
        shared = step.after.shared._replace(struck=self.machine.initial.shared.struck)
        after = self.known_to_driver(node._replace(state=step.after._replace(shared=shared)))
        return self.aged(after, after.age_seconds + seconds) if after.cause and seconds else after

    def known_to_driver(self, node: Node) -> Node:
        """Forget a crash that the driver has recovered from."""
        driver, shared = self.part(node.state, "driver"), node.state.shared
        if not shared.incarnation or driver.incarnation < shared.incarnation:
            return node
        unit = self.machine.changed(node.state.units[0], (("driver", driver._replace(incarnation=0)),))
        return node._replace(state=State(shared._replace(incarnation=0), (unit,)))

    def aged(self, node: Node, age_seconds: float) -> Node:
        """Return the node with a lease that is so old."""
        older = node._replace(age_seconds=age_seconds)
        for step in self.steps(node):
            if step.event.action == "elapse" and self.part(step.after, "clock0").age_seconds <= age_seconds:
                older = older._replace(state=step.after)
        return older

    def settled(self, node: Node) -> Node | End:
        """Take every step that costs nothing, up to the next call or commit, or the end of the attempt."""
        waited = 0.0
        while (end := self.ended(node, waited)) is None:
            step, limit = self.next_step(node), self.limit_seconds(node)
            if step is not None and self.is_chance(node, step):
                return node
            if step is not None and (step.event.action != "grade" or not self.draws(node, step)):
                node = self.taken(node, step)
            elif node.age_seconds < limit:
                waited += limit - node.age_seconds
                node = self.aged(node, limit)
            else:
                return self.end("never", node, waited)
        return end

    def draws(self, node: Node, step: Transition) -> bool:
        """Say whether a step draws tokens."""
        return bool(step.after.shared.burned > node.state.shared.burned)

    def is_chance(self, node: Node, step: Transition) -> bool:
        """Say whether chance has a say in a step: a call that ends before the lease does, or a commit."""
        if step.event.action == "deliver":
            return "late" in self.scope.faults and self.part(node.state, "attempt0").phase == "sent"
        ends = node.age_seconds + sum(self.seconds(node, step))
        return self.draws(node, step) and (not node.cause or ends <= self.limit_seconds(node))

    def ended(self, node: Node, waited_seconds: float) -> End | None:
        """Return how the attempt ended, if it did."""
        driver = self.part(node.state, "driver")
        if driver.phase == "done":
            return self.end("done", node, waited_seconds)
        if driver.phase == "idle" and driver.epoch > 0:
            return self.end("next", node, waited_seconds)._replace(burned=self.drained(node).state.shared.burned)
        return None

    def end(self, kind: str, node: Node, waited_seconds: float) -> End:
        """Return an end."""
        shared = node.state.shared
        return End(kind, self.part(node.state, "checkpoint"), shared.burned, shared.promised, waited_seconds)

    def drained(self, node: Node) -> Node:
        """Return the node after all that a worker still draws that lives on though it was given up."""
        alive = (s for s in self.steps(node) if not s.event.fault and s.event.action in DRAWING and s.event.epoch == 0)
        while (step := next(alive, None)) is not None:
            node = self.taken(node, step)
            alive = (s for s in self.steps(node) if not s.event.fault and s.event.action in DRAWING)
        return node

    def follows(self, node: Node) -> dict[str, Node | End]:
        """Return what comes after each thing that may happen at a call or a commit."""
        step = self.next_step(node)
        assert step is not None
        if step.event.action == "deliver":
            late = self.struck(node, "late")
            found = {"served": self.settled(self.taken(node, step))}
            return found if late is None else {**found, "late": self.settled(late._replace(cause="late"))}
        call, write = self.seconds(node, step)
        found = {"served": self.settled(self.taken(node, step, call + write))}
        for fault, after in self.faults_at(node, call, write):
            if after is not None and (reached := self.settled(after)) != node:
                found[fault] = reached
        return found

    def faults_at(self, node: Node, call: float, write: float) -> Iterator[tuple[str, Node | None]]:
        """Yield the faults that may strike at a call, and the node right after each."""
        lost = self.struck(node, "lose_reply")
        yield "preempt", self.struck(node, "preempt")
        if write and lost is not None:
            yield "preempt the write", self.struck(lost, "preempt")
        if "lose_reply" in self.scope.faults and lost is not None and node.lost < self.scope.lost_replies:
            again = lost._replace(lost=node.lost + 1)
            yield "lose_reply", self.aged(again, again.age_seconds + call) if again.cause else again
        for fault in ("stall", "crash_driver"):
            after = self.struck(node, fault) if fault in self.scope.faults and not node.cause else None
            short = fault == "crash_driver" and self.scope.restart_seconds < self.scope.lease_seconds
            yield fault, after if after is None or short else after._replace(cause=fault)

    def struck(self, node: Node, fault: str) -> Node | None:
        """Return the node after a fault, where it can strike."""
        step = next((s for s in self.steps(node) if s.event.fault == fault and self.touches(s, fault)), None)
        return None if step is None else self.taken(node, step)

    def touches(self, step: Transition, fault: str) -> bool:
        """Say whether a fault strikes the attempt: a reply that gets lost is that of a call."""
        return fault != "lose_reply" or step.event.action == "grade"
