"""The model of one shard in Storm's DRN format, so that a probabilistic model checker of others can give the figures.

`chain` is the Markov chain behind the exact figures (attempts one after another), `process` the Markov decision process
of dead attempts. Rewards: tokens burned and, in the chain, seconds. Labels: init, done, over.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from fencebench.checker.expect.attempt import Attempts, End, explored
from fencebench.checker.expect.decision import Choice, chances, decisions
from fencebench.checker.expect.kernel import alternatives, scope_of
from fencebench.checker.expect.load import Load, modelled
from fencebench.model.fence import Fence
from fencebench.model.machine import State
from fencebench.model.machines.ledger import Content


class Action(NamedTuple):
    """One action of a state: its rewards, and the chance of each next state."""

    rewards: tuple[float, ...]
    ways: Mapping[int, float]


class Row(NamedTuple):
    """A state: its labels and its actions."""

    labels: tuple[str, ...]
    actions: tuple[Action, ...]


class Key(NamedTuple):
    """A state of the chain: a place of an attempt, by epoch where epochs are bounded."""

    epoch: int
    checkpoint: Content | None
    number: int


@dataclass(frozen=True)
class Chain:
    """The attempts of one shard as one Markov chain; the last two states are done, and over without a result."""

    found: Mapping[Content | None, Attempts]
    load: Load

    @cached_property
    def numbers(self) -> dict[Key, int]:
        """Number the states."""
        places = [(c, n) for c, attempts in self.found.items() for n in sorted(attempts.places)]
        keys = (Key(epoch, *place) for epoch in range(self.load.epochs or 1) for place in places)
        return {key: number for number, key in enumerate(keys)}

    def rows(self) -> list[Row]:
        """Return all states; the first is where a shard begins."""
        done, over = len(self.numbers), len(self.numbers) + 1
        ends = [Row(("done", "over"), (Action((0, 0), {done: 1}),)), Row(("over",), (Action((0, 0), {over: 1}),))]
        return [*map(self.row, self.numbers), *ends]

    def row(self, key: Key) -> Row:
        """Return the state of a place; what an attempt burned is counted where it ends."""
        attempts, ways, burned, seconds = self.found[key.checkpoint], dict[int, float](), 0.0, 0.0
        place = attempts.places[key.number]
        for what, share, spent in alternatives(place, self.load):
            end = attempts.ends.get(place.follows[what])
            to = self.after(key, end) if end else self.numbers[key._replace(number=place.follows[what])]
            ways[to] = ways.get(to, 0) + share
            burned += share * end.burned if end else 0
            seconds += share * (spent + (self.waits(end) if end else 0))
        return Row(("init",) if self.numbers[key] == 0 else (), (Action((burned, seconds), ways),))

    def waits(self, end: End) -> float:
        """Return the seconds from the end of an attempt until the next one works."""
        return end.wait_seconds + self.load.replacement_seconds * (end.kind == "next")

    def after(self, key: Key, end: End) -> int:
        """Return the state after the end of an attempt."""
        epoch = key.epoch + (self.load.epochs is not None)
        if end.kind != "next" or (self.load.epochs is not None and epoch >= self.load.epochs):
            return len(self.numbers) + (end.kind != "done")
        return self.numbers[Key(epoch, end.checkpoint, min(self.found[end.checkpoint].places))]


def chain(fence: Fence, load: Load) -> str:
    """Write the chain of a shard's attempts."""
    found = explored(*modelled(fence, load), scope_of(load))
    return written("DTMC", ("burned", "seconds"), Chain(found, load).rows())


def process(fence: Fence, load: Load, epochs: int) -> str:
    """Write the decision process of a shard's attempts, dead ones included; `over` once nobody has to act any more."""
    found = decisions(*modelled(fence, load), epochs, bool(load.late_per_commit))
    numbers = {state: number for number, state in enumerate(found.choices)}
    over = len(numbers)
    rows = [decided(state, choices, numbers, over, load) for state, choices in found.choices.items()]
    return written("MDP", ("burned",), [*rows, Row(("over",), (Action((0,), {over: 1}),))])


def decided(state: State, choices: Iterable[Choice], numbers: Mapping[State, int], over: int, load: Load) -> Row:
    """Return a state of the decision process."""
    actions = [decision(choice, numbers, load) for choice in choices]
    if not any(choice.who == "driver" for choice in choices):
        actions.append(Action((0,), {over: 1}))
    return Row(("init",) if numbers[state] == 0 else (), tuple(actions))


def decision(choice: Choice, numbers: Mapping[State, int], load: Load) -> Action:
    """Return a choice with its chances."""
    shares, ways, burned = chances(choice, load), dict[int, float](), 0.0
    for outcome in choice.outcomes:
        share = shares.get(outcome.what, 0)
        ways[numbers[outcome.state]] = ways.get(numbers[outcome.state], 0) + share
        burned += share * outcome.drawn
    return Action((burned,), ways)


def written(kind: str, rewards: tuple[str, ...], rows: list[Row]) -> str:
    """Write states in DRN."""
    choices = sum(len(row.actions) for row in rows)
    head = ["// one shard, written by fencebench expect", f"@type: {kind}", "@parameters", "", "@reward_models"]
    head += [" ".join(rewards), "@nr_states", str(len(rows)), "@nr_choices", str(choices), "@model"]
    return "\n".join([*head, *(line for number, row in enumerate(rows) for line in lines(number, row))]) + "\n"


def lines(number: int, row: Row) -> list[str]:
    """Write one state; its actions carry the rewards."""
    found = [" ".join([f"state {number} [{', '.join('0' for _ in row.actions[0].rewards)}]", *row.labels])]
    for action, (rewards, ways) in enumerate(row.actions):
        found.append(f"\taction {action} [{', '.join(map(repr, rewards))}]")
        found += [f"\t\t{to} : {share!r}" for to, share in sorted(ways.items()) if share]
    return found
