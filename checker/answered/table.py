"""The whole table of a boundary: each question, its answer, that of the rules, and the shortest run that asks it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from fencebench.checker.answered.respondent import Reply, Respondent, question_of
from fencebench.checker.answered.rows import Question
from fencebench.checker.fast.explore import explore
from fencebench.checker.search.limits import Limits
from fencebench.checker.search.uniform_cost import cheapest_first
from fencebench.model.build import build
from fencebench.model.fence import Answer, Fence
from fencebench.model.machine import Evidence, Transition
from fencebench.model.settings import Bound, Settings

Watch = Callable[[int, int, int], None]


@dataclass(frozen=True)
class Line:
    """A question: who answers what, what the rules answer, and the shortest run that asks it under a bound."""

    question: Question
    reply: Reply
    by_rules: Answer
    run: tuple[Transition, ...]
    bound: Bound

    @property
    def faults(self) -> int:
        """How many faults the run needs."""
        return sum(1 for step in self.run if step.event.fault)

    @property
    def differs(self) -> bool:
        """Whether the rules answer otherwise, or something else was written than answered."""
        return self.reply.refusal != self.by_rules.refusal or bool(self.reply.wrong)


class Marker:
    """Answers a boundary as another fence does, and marks each event with its question; it keeps the rules' answers."""

    name, summary, promises = "marker", "", ()

    def __init__(self, follows: Fence) -> None:
        self.follows = follows
        self.marks: dict[Evidence, Question] = {}
        self.numbers: dict[Question, Evidence] = {}
        self.by_rules: dict[Question, Answer] = {}

    def answer(self, fence: Fence, boundary: str, request: Any, view: Any) -> Answer:
        """Answer, and mark."""
        question = question_of(self.follows, boundary, request, view)
        self.by_rules[question] = fence.by_rules(boundary, request, view)
        mark = self.numbers.setdefault(question, Evidence((("question", str(len(self.numbers)), "", ""),)))
        self.marks[mark] = question
        return self.follows.judge(boundary, request, view)._replace(evidence=mark)


def questions_of(
    fence: Fence, boundary: str, bound: Bound, settings: Settings, watch: Watch
) -> Iterator[tuple[Question, Answer, tuple[Transition, ...]]]:
    """Yield each question that some run asks, the rules' answer to it, and the shortest such run."""
    marker = Marker(fence)
    machine = build(fence.having(**{boundary: marker}), bound, settings)
    asked = set[Question]()
    steps = lru_cache(maxsize=1)(lambda state: tuple(machine.successors(state)))
    ways = cheapest_first(
        machine.initial,
        lambda state: ((step, step.after) for step in steps(state)),
        lambda state: machine.faults(state.shared),
    )
    for number, way in enumerate(ways, 1):
        watch(number, 0, way.steps)
        for step in steps(way.place):
            question = marker.marks.get(step.event.evidence) if step.event.evidence else None
            if question is not None and question not in asked:
                asked.add(question)
                yield question, marker.by_rules[question], (*way.moves(), step)


def table(
    fence: Fence, boundary: str, who: Respondent, bounds: tuple[Bound, ...], settings: Settings, watch: Watch
) -> tuple[Line, ...]:
    """Return the table of a boundary over some bounds, cheapest runs first; each question with its cheapest run."""
    best: dict[Question, Line] = {}
    for bound in bounds:
        for question, by_rules, run in questions_of(fence, boundary, bound, settings, watch):
            if question not in who.replies:  # its rows can be in no table
                continue
            line = Line(question, who.replies[question], by_rules, run, bound)
            if question not in best or cost(line) < cost(best[question]):
                best[question] = line
    return tuple(sorted(best.values(), key=cost))


def cost(line: Line) -> tuple[int, int]:
    """Fewest faults first, then fewest steps."""
    return line.faults, len(line.run)


SLOW_SECONDS = 0.01
"""From so long a question on it is worth a search to know the questions beforehand."""


def ahead(fence: Fence, bounds: tuple[Bound, ...], settings: Settings, watch: Watch) -> None:
    """Ask whoever is slow, and can be asked several questions at a time, all that rules in his place would be asked.

    How slow he is shows in the questions of runs without faults.
    """
    for boundary, who in fence.answered:
        if isinstance(who, Respondent) and who.asked.jobs > 1:
            alone = tuple(one for one in bounds if one.shards == 1)
            few = met(fence, boundary, tuple(replace(one, faults=0) for one in alone[:1]), settings, watch)
            for question in few:
                who.reply(question)
            if few and who.seconds > SLOW_SECONDS * len(few):
                who.ask_ahead(met(fence, boundary, alone, settings, watch))


def met(
    fence: Fence, boundary: str, bounds: tuple[Bound, ...], settings: Settings, watch: Watch
) -> tuple[Question, ...]:
    """Return the questions that the rules of a boundary meet."""
    marker = Marker(fence.having(**{boundary: getattr(fence, boundary)}))
    for bound in bounds:
        explore(build(fence.having(**{boundary: marker}), bound, settings), Limits(), watch)
    return tuple(marker.by_rules)
