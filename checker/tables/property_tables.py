"""Properties and witnesses as properties, each answered once for every distinct value of what it reads.

A question's answer is what *fired*: the number of the set of claims that fail (or show) there; 0 is the empty set.
A *valuation* is all that a claim may look at of a unit and its step, as numbers in a flat row: the unit's parts before,
the same after, the event. A *view* is what one group of claims picks from a valuation.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fencebench.checker.search.properties import Claim, on_final, on_shared, on_step, picker
from fencebench.checker.tables.interning import Numbers
from fencebench.model.machine import Event, Machine, State, Witness

COMMON = ("shared", "after_shared")

View = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class PropertyGroup:
    """The claims that read the same names; `places` are those of the unit and the event, by their place in a valuation.

    `whole` puts a view together with the numbers of the shared part before and after, in the order of `reads`.
    """

    reads: tuple[str, ...]
    claims: tuple[tuple[int, Claim], ...]
    places: tuple[int, ...]
    view: Callable[[Sequence[int]], View]
    whole: Callable[[Sequence[int]], View]
    known: dict[View, int] = field(default_factory=dict)

    def fires(self, values: tuple[Any, ...]) -> tuple[int, ...]:
        """Return the numbers of the claims that fail or show at these values."""
        event = values[self.reads.index("event")] if "event" in self.reads else None
        return tuple(n for n, claim in self.claims if (event is None or claim.about(event)) and strikes(claim, values))

    def concerns(self, event: Event) -> bool:
        """Say whether some claim of the group is about the event, or does not look at events."""
        return "event" not in self.reads or any(claim.about(event) for _, claim in self.claims)


def strikes(claim: Claim, values: tuple[Any, ...]) -> bool:
    """Say whether a property fails or a witness shows."""
    return bool(claim.seen(*values)) if isinstance(claim, Witness) else claim.why(*values) is not None


def places_of(machine: Machine, reads: Iterable[str]) -> tuple[int, ...]:
    """Return where a valuation holds what is read of the unit and the event."""
    count = len(machine.parts)
    places = {"event": 2 * count}
    for name, place in machine.place.items():
        places |= {name: place, f"after_{name}": count + place}
    return tuple(places[name] for name in reads if name in places)


def reads_common(claim: Claim) -> bool:
    """Say whether the claim looks at the shared part at all."""
    return any(name in COMMON for name in claim.reads)


class PropertyGroups:
    """A machine's claims by the moment at which each is asked, and the sets of claims that faulty.

    Claims of one name are one claim: they share a number.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.names: Numbers[tuple[str, type]] = Numbers()
        self.sets: Numbers[tuple[int, ...]] = Numbers()
        self.sets(())
        self.of_unit = self.groups(lambda c: not reads_common(c) and not on_shared(c), step=False)
        self.of_shared = self.groups(on_shared, step=False)
        self.of_both = self.groups(lambda c: reads_common(c) and not on_shared(c), step=False)
        self.of_move = self.groups(lambda c: not reads_common(c), step=True)
        self.of_passage = self.groups(reads_common, step=True)
        self.of_own_step = self.groups(on_shared, step=True)
        self.of_final = self.groups(on_final, step=None)

    def groups(self, chosen: Callable[[Claim], bool], step: bool | None) -> tuple[PropertyGroup, ...]:
        """Gather chosen claims by what they read: claims on steps, on states, or (None) on final states."""
        groups: dict[tuple[str, ...], list[tuple[int, Claim]]] = {}
        claims: tuple[Claim, ...] = (*self.machine.properties, *self.machine.witnesses)
        for claim in claims:
            moment = None if on_final(claim) else on_step(claim)
            if moment is step and chosen(claim):
                groups.setdefault(claim.reads, []).append((self.names((claim.name, type(claim))), claim))
        return tuple(self.group(reads, tuple(group)) for reads, group in groups.items())

    def group(self, reads: tuple[str, ...], claims: tuple[tuple[int, Claim], ...]) -> PropertyGroup:
        """Make a group."""
        places = places_of(self.machine, reads)
        own = [name for name in reads if name not in COMMON]
        return PropertyGroup(
            reads, claims, places, picker(places), picker([[*own, *COMMON].index(name) for name in reads])
        )

    def is_witness(self, number: int) -> bool:
        """Say whether a claim is a witness."""
        return self.names.values[number][1] is Witness

    def fired(self, numbers: Iterable[int]) -> int:
        """Return the number of a set of claims."""
        faulty = set(numbers)
        return self.sets(tuple(sorted(faulty))) if faulty else 0

    def final(self, state: State) -> int:
        """Return what fires at a state in which nothing can happen any more."""
        values = {"event": None, "shared": state.shared, "after_shared": state.shared, "units": state.units}
        return self.fired(n for group in self.of_final for n in group.fires(tuple(values[r] for r in group.reads)))

    def join(self, one: int, other: int) -> int:
        """Return what fires in either."""
        if not one or not other:
            return one or other
        return self.fired((*self.sets.values[one], *self.sets.values[other]))
