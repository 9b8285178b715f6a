"""What is known of a promise: one value, from which every command, picture, help text and page takes what it says."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from fencebench.model.machine import Progress
from fencebench.model.settings import Setup

MONEY, RESULT, ORIGIN = "Money", "Two writers, one result", "Where a number comes from"
REPORT, ANSWERS, PROGRESS = "What the report says", "Answers", "Getting to an end"
OWN = "Promises of your own"
GROUPS = (RESULT, MONEY, ORIGIN, REPORT, ANSWERS, PROGRESS, OWN)
"""What is at stake, in the order of the gallery."""

Fails = Callable[..., str | None]
"""Says which conjunct failed and for which value, or None; its parameters name what it reads."""


class Scope(StrEnum):
    """How much of a run a promise looks at."""

    SHARD = "one shard"
    TOTALS = "the totals of the run"
    RECEIPTS = "all receipts of a run"
    REPORT = "the report"
    FINAL = "final states of the whole run"
    GRAPH = "progress of the whole run"


ONE_SHARD_SUFFICES = (Scope.SHARD, Scope.TOTALS)
"""Scopes of which one shard among others can speak."""


class Claim(NamedTuple):
    """A function that judges, the actions and answers it is about (none: any), for how many epochs beyond the bound."""

    fails: Fails
    about: tuple[str, ...] = ()
    beyond: int = 0
    answers: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Promise:
    """A promise of a fence.

    Attributes:
        claim: the function that judges it; its name is the promise's, the first line of its docstring the sentence.
        about: the actions that `claim` is about; none means any.
        more: further functions that judge the same promise by other parts.
        progress: for a promise on the state graph, what makes it of a setup.
        title: what went wrong, in a few words. `failure`: what goes wrong, for somebody who never saw the bench.
        question: what to ask of a fence under review.

    """

    claim: Fails | None = None
    about: tuple[str, ...] = ()
    more: tuple[Claim, ...] = ()
    progress: Callable[[Setup], Progress] | None = None
    scope: Scope = Scope.SHARD
    name: str = ""
    sentence: str = ""
    title: str = ""
    group: str = OWN
    failure: str = ""
    question: str = ""

    def __post_init__(self) -> None:
        defaults = {
            "name": getattr(self.claim, "__name__", ""),
            "sentence": first_line(self.claim),
        }
        for field, value in defaults.items():
            if not getattr(self, field):
                object.__setattr__(self, field, value)
        for field, value in {"title": self.sentence.rstrip("."), "failure": self.sentence}.items():
            if not getattr(self, field):
                object.__setattr__(self, field, value)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Every function that judges it."""
        return (*((Claim(self.claim, self.about),) if self.claim else ()), *self.more)


def first_line(function: object) -> str:
    """Return the first line of a docstring."""
    return ((function.__doc__ if function is not None else "") or "").strip().partition("\n")[0]


def first(reasons: Iterable[str]) -> str | None:
    """Return the first reason, if there is one."""
    return next(iter(reasons), None)
