"""The model endpoint and the gateway before it: which revision serves a call, and whether the call is made at all.

State: what each attempt has drawn on the provider's meter (tokens); what the alias resolves to is shared.
Action: `grade`, one call from one milestone to the next; a checkpoint is written after every `checkpoint_cases` cases.
A floating call is served by whatever the alias is. A pinned call is served as pinned, except that one flip of the
alias serves one call by another revision. Source: `seeds/002` assumption 3 and step 3; `seeds/000` assumption 4.
"""

from collections.abc import Iterator
from typing import NamedTuple

from fencebench.model.fence import Refusal
from fencebench.model.machine import Event, Step
from fencebench.model.machines.lease import Clock
from fencebench.model.machines.ledger import Content, Grant, Hold, Request
from fencebench.model.machines.shared import Effect, lost
from fencebench.model.machines.worker import Attempt, Changes, done, ended
from fencebench.model.settings import Setup, revision_name


class CallView(NamedTuple):
    """What the gateway may look at: the attempt's grant, what it has drawn, the slice that it loaded.

    `covered` says whether the provider's allowance still covers the call, `above` by how many tokens it lifts what the
    run has burned above it.
    """

    grant: Grant
    drawn: int
    loaded: int
    covered: bool
    setup: Setup
    above: int = 0

    @property
    def hold(self) -> Hold:
        """The attempt's hold."""
        return self.grant.hold


class Served(NamedTuple):
    """The revision that serves a call, and what the shared part must grant for that."""

    revision: int
    effect: Effect


def served(setup: Setup) -> Iterator[Served]:
    """Yield who may serve a call of this attempt."""
    pinned = setup.pinned(setup.epoch)
    if pinned is None:
        for revision in range(setup.bound.cap("flip_alias") + 1):
            yield Served(revision, Effect(alias=revision))
    else:
        yield Served(pinned, Effect())
        yield Served(pinned + 1, Effect(fault="flip_alias"))


def grade(
    attempt: Attempt, grant: Grant | None, clock: Clock, meter: int, checkpoint: Content | None, *, setup: Setup
) -> Iterator[Step]:
    """Grade up to the next milestone: the gateway refuses, or the call is drawn, billed and served."""
    if attempt.phase != "grading" or attempt.gone or grant is None:
        return
    before = attempt.content.cases
    cases = min(m for m in setup.milestones if m > before)
    tokens = (cases - before) * setup.settings.tokens_per_case
    request = Request(setup.epoch, tokens, named=attempt.loaded)
    for covered, above in covering(setup):
        view = CallView(grant, meter, attempt.loaded, covered is not False, setup, above or 0)
        answer = setup.fence.judge("call", request, view)
        event = done(setup, "grade", "model", f"grade {before}–{cases}", answer, "")._replace(message=request)
        presumes = Effect(draws=tokens, covered=covered, stands=None if above is None else (above,))
        if answer.refusal is None:
            yield from calls(event, attempt, cases, meter + tokens, presumes._replace(burned=tokens), setup)
        else:
            yield Step(event, turned_away(attempt, clock, answer.refusal, setup), presumes)


def covering(setup: Setup) -> tuple[tuple[bool | None, int | None], ...]:
    """Return whether the allowance may cover a call, as far as anybody looks; a respondent sees how near it is."""
    if setup.fence.respondent("call") is not None:
        return (True, -1), (True, 0), (False, 1)
    return ((True, None), (False, None)) if setup.fence.has("call.over_ceiling") else ((None, None),)


def turned_away(attempt: Attempt, clock: Clock, refusal: Refusal, setup: Setup) -> Changes:
    """Return the changes of an attempt whose call was refused: it ends, unless the fence lets it keep what it has."""
    truncates = setup.fence.cut_off == "commit what is there" and attempt.content.cases
    if refusal is Refusal.OVER_CEILING and truncates:
        return (("attempt", attempt._replace(phase="graded")),)
    return ended(attempt, clock)


def calls(event: Event, attempt: Attempt, cases: int, drawn: int, presumes: Effect, setup: Setup) -> Iterator[Step]:
    """Yield the call served by whoever may serve it; one whose reply is lost stays drawn all the same."""
    for revision, effect in served(setup):
        content = attempt.content.graded(cases, attempt.loaded, revision)
        told = event._replace(outcome=f"by {revision_name(revision)}", fault=effect.fault)
        whole = presumes._replace(fault=effect.fault, alias=effect.alias)
        step = Step(told, progress(attempt, content, drawn, setup), whole)
        yield from (step,) if effect.fault else (step, lost(step, ("attempt", "checkpoint")))


def progress(attempt: Attempt, content: Content, drawn: int, setup: Setup) -> Changes:
    """Return the changes of a call that was served; a checkpoint is written where the fence keeps one."""
    phase = "graded" if content.cases == setup.settings.cases else "grading"
    changes: Changes = ("attempt", attempt._replace(phase=phase, content=content)), ("meter", drawn)
    due = content.cases % setup.settings.checkpoint_cases == 0 or setup.fence.checkpoint == "each slice"
    if due and setup.fence.checkpoint != "none" and phase == "grading":
        return (*changes, ("checkpoint", content))
    return changes
