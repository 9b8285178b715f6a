"""Replays a log: the verdict on it, the first line that diverges and what only follows from that line."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, NamedTuple

from fencebench.checker.oracle.judge.decide import Finding
from fencebench.checker.oracle.log.events import BadLineError, Event, Name, read_events
from fencebench.checker.oracle.replay import closing
from fencebench.checker.oracle.replay.modes import SOUND, Mode

Word = Literal["conforms", "diverges", "undetermined", "vacuous"]

EXITS: Final[dict[str, int]] = {"conforms": 0, "diverges": 1, "undetermined": 3, "vacuous": 4}
"""Exit codes of the verdicts; 2 is bad input."""

_MET: Final = ("lease.grant", "ledger.commit")
_SO_FAR: Final = 12


@dataclass(frozen=True)
class Verdict:
    """What was found in a log.

    `line` and what follows describe the first line that diverges: `answered` is what the log says, `allowed` what could
    have been answered, `rule` the guard or class that was false, `property` the promise that it serves, `promises` all
    that the answer breaks, `code` the kind of case. `consequences` are later lines that diverge or conform only because
    of it, `further` later lines that diverge on their own. `state` and `so_far` are the shard's state and last lines
    before it. `unread` is the error of a line that could not be read after the divergence. `events` counts the lines
    judged, `asked` how often each guard and each class was asked, `unseen` are families of ops that never occurred, and
    `open` what was left open at the end: neither changes the exit code.
    """

    log: str
    verdict: Word
    mode: str = SOUND.name
    line: int | None = None
    op: str | None = None
    run: Name | None = None
    shard: Name | None = None
    epoch: int | None = None
    answered: str | None = None
    allowed: tuple[str, ...] = ()
    property: str | None = None
    promises: tuple[str, ...] = ()
    rule: str | None = None
    code: str | None = None
    why: str | None = None
    consequences: tuple[int, ...] = ()
    further: tuple[int, ...] = ()
    events: int = 0
    state: tuple[str, ...] = ()
    so_far: tuple[str, ...] = ()
    asked: dict[str, int] = field(default_factory=dict)
    unseen: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    unread: str | None = None


def exit_code(verdict: Verdict) -> int:
    """The exit code of a verdict."""
    return EXITS[verdict.verdict]


class Trail(NamedTuple):
    """One line of what happened to a shard."""

    line: int
    t: float
    op: str
    epoch: int | None
    answered: str


@dataclass(slots=True)
class Replay:
    """A replay under way. `mended` are the runs as they would be had every wrong answer been right.

    `wrong` is the first divergence, as a verdict without its counts.
    """

    log: str
    mode: Mode = SOUND
    runs: dict[Name, Any] = field(default_factory=dict)
    mended: dict[Name, Any] = field(default_factory=dict)
    trails: dict[tuple[Name, Name | None], deque[Trail]] = field(default_factory=dict)
    events: int = 0
    met: bool = False
    asked: closing.Asked = field(default_factory=Counter)
    wrong: Verdict | None = None
    consequences: list[int] = field(default_factory=list)
    further: list[int] = field(default_factory=list)

    def verdict(self, unread: str | None = None) -> Verdict:
        """The verdict on what was read so far."""
        word: Word = "conforms" if self.met else "vacuous"
        found = self.wrong or Verdict(self.log, word, self.mode.name)
        runs = {name: self.mode.sound(run) for name, run in self.runs.items()}
        return replace(
            found,
            events=self.events,
            consequences=tuple(self.consequences),
            further=tuple(self.further),
            asked=closing.judged(self.asked),
            unseen=closing.never_seen(runs.values()),
            open=tuple(line for name, run in runs.items() for line in closing.left_open(name, run)),
            unread=unread,
        )


def replay(lines: Iterable[str | bytes], log: str = "-", mode: Mode = SOUND) -> Verdict:
    """Judge a whole log. Raises `BadLineError` for a line that cannot be read, unless an earlier line diverged."""
    return last(steps(lines, log, mode=mode))


def first_divergence(lines: Iterable[str | bytes], log: str = "-", mode: Mode = SOUND) -> Verdict:
    """Judge a stream up to its first divergence, or to its end."""
    return last(steps(lines, log, stop=True, mode=mode))


def last(progress: Iterator[Replay | Verdict]) -> Verdict:
    """The verdict that ends a replay."""
    for step in progress:
        if isinstance(step, Verdict):
            return step
    raise AssertionError("a replay ends with its verdict")


def steps(lines: Iterable[str | bytes], log: str, stop: bool = False, mode: Mode = SOUND) -> Iterator[Replay | Verdict]:
    """The replay after each event, and at last its verdict; with `stop` at the first divergence."""
    under_way = Replay(log, mode)
    try:
        for event in read_events(lines):
            step(under_way, event)
            yield under_way
            if stop and under_way.wrong is not None:
                break
    except BadLineError as error:
        if under_way.wrong is None:
            raise
        yield under_way.verdict(str(error))
        return
    if under_way.events == 0:
        raise BadLineError(1, "the log is empty, expected a run.open")
    yield under_way.verdict()


def step(under_way: Replay, event: Event) -> None:
    """Judge one event."""
    under_way.events += 1
    if event.op == "run.open":
        under_way.runs[event.run] = under_way.mode.opened(event)
        return
    closing.note(under_way.asked, event)
    if event.op in _MET and (event.answer != "unknown" or event.applied is not None):
        under_way.met = True
    run = under_way.runs[event.run]
    finding = under_way.mode.judge(run, event)
    _compare(under_way, event, finding)
    if finding is not None:
        _diverge(under_way, run, event, finding)
    _remember(under_way, event)


def _compare(under_way: Replay, event: Event, finding: Finding | None) -> None:
    """Judge the event also in the run as it should have been: whoever differs there follows from a wrong answer."""
    should = under_way.mended.get(event.run)
    if should is None:
        if finding is not None and under_way.wrong is not None:
            under_way.further.append(event.line)
        return
    other = under_way.mode.judge(should, event)
    if other is not None:
        under_way.mode.mend(should, event, other)
    if (other is None) != (finding is None):
        under_way.consequences.append(event.line)
    elif finding is not None:
        under_way.further.append(event.line)


def _diverge(under_way: Replay, run: Any, event: Event, finding: Finding) -> None:
    if under_way.wrong is None:
        under_way.wrong = _described(under_way, run, event, finding)
    if event.run not in under_way.mended:
        under_way.mended[event.run] = run.copy()
        under_way.mode.mend(under_way.mended[event.run], event, finding)
    under_way.mode.adopt(run, event)


def _described(under_way: Replay, run: Any, event: Event, finding: Finding) -> Verdict:
    trail = under_way.trails.get((event.run, event.shard), ())
    undetermined = run.cut is not None
    cut = f"; alternatives were dropped from line {run.cut} on, so this is not certain" if undetermined else ""
    return Verdict(
        under_way.log,
        "undetermined" if undetermined else "diverges",
        under_way.mode.name,
        line=event.line,
        op=event.op,
        run=event.run,
        shard=event.shard,
        epoch=event.epoch,
        answered=event.answered,
        allowed=finding.allowed,
        property=finding.property,
        promises=finding.promises or (finding.property,),
        rule=finding.rule,
        code=finding.code,
        why=finding.why + cut,
        state=under_way.mode.told(run, event),
        so_far=tuple(_told(item) for item in trail),
    )


def _told(item: Trail) -> str:
    epoch = "" if item.epoch is None else f" epoch {item.epoch}"
    return f"line {item.line}, t {item.t:g}: {item.op}{epoch} = {item.answered}"


def _remember(under_way: Replay, event: Event) -> None:
    """Keep the last lines of a shard, for the message."""
    key = (event.run, event.shard)
    trail = under_way.trails.get(key)
    if trail is None:
        trail = under_way.trails[key] = deque(maxlen=_SO_FAR)
    trail.append(Trail(event.line, event.t, event.op, event.epoch, event.answered))
