"""The functions behind `from fencebench import …`: plain values in, plain values out, nothing printed.

They take what the command line takes, by the same names, and refuse it in the same words (`BadInput`).
"""

import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from fencebench.checker.analysis.bounds import Asked, asked, fits_fence, with_earlier_run
from fencebench.checker.analysis.check import Checked, explored, unwatched
from fencebench.checker.analysis.check import check as check_bounds
from fencebench.checker.analysis.engines import ENGINES
from fencebench.checker.analysis.fences import find_fence
from fencebench.checker.errors import BadInput
from fencebench.checker.report.case import story_of
from fencebench.checker.report.picture import as_text
from fencebench.checker.report.stored import Recalled, case_of, recall
from fencebench.checker.report.story import Story
from fencebench.checker.report.text import case_of as case_of_finding
from fencebench.checker.report.text import cheapest
from fencebench.checker.search.limits import Limits
from fencebench.checker.search.replay import Replay
from fencebench.checker.search.result import Finding, Result, Verdict
from fencebench.model.fence import Fence
from fencebench.model.fences import KEYED_WITHOUT_RUN, REFERENCE
from fencebench.model.machine import Action, Machine, Step, parameters, tabled

if TYPE_CHECKING:
    from fencebench.checker.analysis.walks import WalkReport
    from fencebench.checker.oracle.replay.replay import Verdict as LogVerdict
    from fencebench.checker.oracle.rows.audit import Audit

EngineName = Literal["auto", "fast", "plain"]
BROKEN_NOW: list["Answer"] = []
"""Answers whose `holds` was asked and is False; a failing pytest test shows their stories."""


@dataclass(frozen=True, repr=False, eq=False)
class Answer:
    """What `check` answers about a fence over its bounds.

    Attributes:
        checked: every bound with its counts, coverage and findings.

    """

    checked: Checked

    @property
    def verdict(self) -> Verdict:
        """`holds`, `violated`, `undetermined` (a limit was hit) or `vacuous` (something owed was never reached)."""
        return self.checked.verdict

    @property
    def holds(self) -> bool:
        """Whether every promise is kept up to the bounds, and nothing that the bounds owe was left unreached."""
        if self.verdict != Verdict.HOLDS:
            BROKEN_NOW.append(self)
        return self.verdict == Verdict.HOLDS

    @property
    def broken(self) -> Mapping[str, Finding]:
        """Each broken promise with its cheapest finding: faults, steps, why, trace."""
        return {name: found for name, (_, found) in self.checked.findings.items()}

    @property
    def unreached(self) -> tuple[str, ...]:
        """What the bounds owe and no run reached."""
        return tuple(debt.name for debt in self.checked.unreached)

    @property
    def states(self) -> int:
        """States of all bounds together."""
        return sum(run.result.states for run in self.checked.runs)

    def story(self, promise: str | None = None) -> Story:
        """Return the shortest story that breaks a promise, to be drawn; by default the cheapest one of all.

        Raises:
            BadInput: the promise is not broken.
        """
        if promise not in (None, *self.broken) or not self.broken:
            raise BadInput(f"{promise or 'nothing'} is not broken here; broken: {', '.join(self.broken) or 'nothing'}")
        return story_of(case_of_finding(self.checked, promise or cheapest(self.checked)))

    @cached_property
    def sentence(self) -> str:
        """The verdict in one line."""
        head = f"{self.verdict.upper()} {self.checked.fence.name}"
        if self.broken:
            name = cheapest(self.checked)
            found = self.broken[name]
            return f"{head}: {name} ({found.faults} faults, {found.steps} steps): {found.why}"
        more = self.checked.limit or ", ".join(self.unreached)
        return f"{head}{f': {more}' if more else ''}"

    def __repr__(self) -> str:
        return f"<{self.sentence}>"


def check(
    fence: Fence | str = REFERENCE,
    *,
    bounds: str | Path | None = None,
    limits: Limits | None = None,
    engine: EngineName = "auto",
    **options: Any,
) -> Answer:
    """Check a fence over a union of bounds, every interleaving of each.

    Args:
        fence: a `Fence`, a catalogued name, or `path/to/file.py:NAME`.
        bounds: a TOML file of bounds.
        limits: where a search stops early; by default nowhere, and every broken promise is found.
        engine: `fast`, or `plain` for the explorer that is obviously right.
        options: the bound, by the names of the command line: `shards`, `epochs`, `faults`, `ceiling`, `earlier_run`,
            a cap for each fault (`preempt=0`), `lease_seconds`, `margin_seconds`, `skew_seconds`.

    Raises:
        BadInput: something cannot be used; the message is one line.

    >>> from fencebench import REFERENCE, check
    >>> check(REFERENCE, shards=1, faults=1).holds
    True

    """
    found = fence if isinstance(fence, Fence) else find_fence(fence)
    wanted = asked_for(found, options, bounds)
    return Answer(check_bounds(found, wanted, limits or Limits(), ENGINES[engine](True)))


def told(answer: Answer) -> str:
    """Return what a failing test shows of an answer: the story, or why it is no pass otherwise."""
    return as_text(answer.story()) if answer.broken else answer.sentence


def asked_for(fence: Fence, options: Mapping[str, Any], bounds: str | Path | None) -> Asked:
    """Return the bounds of a call; a fence that forgets the run in a key is also tried as a second run."""
    wanted = asked(options, Path(bounds) if bounds else None)
    fits_fence(fence, wanted)
    return with_earlier_run(wanted) if wanted.union and fence.name in KEYED_WITHOUT_RUN else wanted


def explore(machine: Machine, limits: Limits | None = None, *, engine: EngineName = "auto") -> Result:
    """Explore a machine of one's own: one shared part and interchangeable units, nothing about fences.

    Returns states, transitions, depth, and for each broken promise the shortest story.

    >>> from fencebench import Event, Machine, State, Step, action, explore
    >>> def tick(count):
    ...     if count < 3:
    ...         yield Step(Event("tick"), (("count", count + 1),))
    >>> initial = State("nothing shared", ((0,),))
    >>> clock = Machine(("count",), initial, (action(tick),), lambda shared, effect: shared, lambda shared: 0)
    >>> explore(clock).states
    4

    """
    return explored(
        Fence("a machine of one's own", ""), machine, limits or Limits(), ENGINES[engine](True), unwatched("")
    )


def action(steps: Callable[..., Iterable[Step]]) -> Action:
    """Make an action of a generator of steps: it is named after the function and reads the parts that it names."""
    return tabled(steps.__name__, parameters(steps), steps)


@dataclass(frozen=True)
class Replayed:
    """What became of a stored trace: the verdict, the step it is about, what is broken on the way, and its story."""

    recalled: Recalled
    again: Replay

    @property
    def verdict(self) -> Literal["still violates", "fixed", "no longer executable"]:
        """Still violates, fixed, or no longer executable at `step`."""
        return self.again.verdict

    @property
    def step(self) -> int | None:
        """The stored step at which it stopped, or that is answered otherwise first."""
        return self.again.step

    @property
    def broken(self) -> Mapping[str, str]:
        """Each promise that is broken on the way, and why."""
        return dict(self.again.broken)

    @property
    def story(self) -> Story:
        """The run as far as it could be taken, to be drawn."""
        return story_of(case_of(self.recalled, self.again))


def replay(trace: str | Path, fence: str | None = None) -> Replayed:
    """Replay a stored trace on its own fence, or on another one.

    Raises:
        BadInput: the file is no trace, or the fence is none.

    >>> from fencebench import replay
    >>> replay("counterexamples/spend-sketch/billed_once.itf.json", "reference").verdict
    'fixed'

    """
    recalled = recall(Path(trace), fence)
    return Replayed(recalled, recalled.replay())


def walk(
    fence: Fence | str = REFERENCE, *, examples: int = 300, steps: int = 200, seed: int = 0, **options: Any
) -> "WalkReport":
    """Walk a fence at random, far beyond a search's bound; by default 8 shards, 10 epochs, 40 faults.

    Returns a report with `verdict`, and in `stories` a minimised case for each broken promise.

    >>> from fencebench import walk
    >>> walk("provenance-sketch-a", examples=20).verdict
    <Verdict.VIOLATED: 'violated'>

    """
    from fencebench.checker.analysis.walks import plan_of, walk_bound, walk_fence

    found = fence if isinstance(fence, Fence) else find_fence(fence)
    asked_options = walk_options(options, examples, steps, seed)
    return walk_fence(found, walk_bound(asked_options), plan_of(asked_options))


def walk_options(options: Mapping[str, Any], examples: int = 0, steps: int = 0, seed: int = 0) -> dict[str, Any]:
    """Return the options of a walk by their names on the command line."""
    from fencebench.checker.analysis.bounds import SETTINGS, SHAPE
    from fencebench.model.settings import FAULTS

    unset = dict.fromkeys((*SHAPE, *SETTINGS, *FAULTS, "bounds_file", "max_seconds", "property_"))
    return {**unset, "stop_at": "all", "examples": examples, "steps": steps, "seed": seed, **options}


def judge_log(log: str | Path | Iterable[str | bytes], fence: str | None = None) -> "LogVerdict":
    """Judge an event log: a path, or its lines.

    Returns a verdict with `verdict` (`conforms`, `diverges`, …), the first diverging `line`, and why.

    >>> from fencebench import judge_log
    >>> grant = '{"t": %s, "op": "lease.grant", "run": 7, "shard": "a", "epoch": 0, "expires": 400, "holder": "%s"%s}'
    >>> granted = ', "outcome": "granted"'
    >>> opened = '{"t": 0, "op": "run.open", "run": 7, "shards": ["a"]}'
    >>> judge_log([opened, grant % (1, "one", granted), grant % (2, "two", granted)]).line
    3

    """
    from fencebench.checker.oracle.log.streams import lines_of
    from fencebench.checker.oracle.replay.modes import SOUND, strictly
    from fencebench.checker.oracle.replay.replay import replay as judged

    mode = SOUND if fence is None else strictly(find_fence(fence))
    named = str(log) if isinstance(log, (str, Path)) else "-"
    return judged(lines_of(named) if isinstance(log, (str, Path)) else log, named, mode)


def audit(rows: Iterable[Mapping[str, Any]], plan: Mapping[str, Any], *, aggregate: str | None = None) -> "Audit":
    """Audit committed rows against the plan they belong to (an object as in the log's `run.open`).

    >>> from fencebench import audit
    >>> audit([{"run": 7, "shard": "a", "epoch": 0, "revision": "A"}], {"run": 7, "shards": ["a", "b"]}).words
    ('incomplete-batch',)

    """
    import json

    from fencebench.checker.oracle.rows.audit import audit as audited
    from fencebench.checker.oracle.rows.rows import from_jsonl, plan_of

    lines = io.StringIO("".join(json.dumps(dict(row)) + "\n" for row in rows))
    return audited(from_jsonl(lines), plan_of(dict(plan)), aggregate)
