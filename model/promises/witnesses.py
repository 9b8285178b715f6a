"""States and steps that must be reachable, or a green run explored nothing; and what each of them presupposes."""

from collections.abc import Callable

from fencebench.model.fence import GO_ON, Refusal
from fencebench.model.machine import Event
from fencebench.model.machines.ledger import Ledger
from fencebench.model.machines.worker import Attempt
from fencebench.model.settings import Settings, Setup


def refused_after_death(event: Event, ledger: Ledger, attempt: Attempt, *, setup: Setup) -> bool:
    """A dead attempt resumed and was refused."""
    refused = event.outcome in Refusal.__members__ and Refusal(event.outcome) not in GO_ON
    return refused and event.actor == "worker" and setup.epoch < ledger.highest


def completed_after_preemption(ledger: Ledger, meters: tuple[int, ...], *, setup: Setup) -> bool:
    """Completed by an attempt whose predecessor died before the last call, at 39 of 50 cases."""
    drawn = setup.settings.slice_ends[-2] * setup.settings.tokens_per_case
    return any(drawn == meters[row.epoch - 1] for row in ledger.receipts if 0 < row.epoch <= len(meters))


REFUSED = "a dead attempt resumed and was refused"


def completed(settings: Settings) -> str:
    """Return the name of the witness that work goes on after a death before the last call."""
    return f"completed after a preemption at {settings.slice_ends[-2]}/{settings.cases}"


def witnesses_of(settings: Settings) -> dict[str, Callable[..., bool]]:
    """Return every witness by its name."""
    return {REFUSED: refused_after_death, completed(settings): completed_after_preemption}
