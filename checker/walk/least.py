"""Minimises a walk in the bench's own order, fewest faults, then fewest steps: leaves steps out and replays the rest.

Whatever cannot be taken any more is skipped, so leaving out the cause leaves out its consequences as well.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from fencebench.checker.search.replay import StoredStep, stored
from fencebench.checker.search.result import Finding
from fencebench.checker.walk.tables import WalkTables
from fencebench.checker.walk.walker import Walker

Story = tuple[StoredStep, ...]
Way = Callable[[Story], Iterator[Story]]
"""Yields a story with one thing left out, for each such thing."""


def story_of(found: Finding) -> Story:
    """Return a finding's steps as a story asks for them."""
    return tuple(stored(t) for t in found.trace)


def finding_of(walker: Walker, promise: str) -> Finding:
    """Return the story of a promise that the walk has broken, up to the step that broke it."""
    steps, why = walker.broken[promise]
    trace = tuple(walker.trace[:steps])
    return Finding(promise, sum(1 for t in trace if t.event.fault), steps, why, trace)


def retold(tables: WalkTables, story: Iterable[StoredStep], promise: str) -> Finding | None:
    """Replay what can be taken of a story; return what breaks the promise, if anything does."""
    walker = Walker(tables)
    for wanted in story:
        option = walker.find(wanted)
        if option is not None:
            walker.take(option)
        if promise in walker.broken:
            return finding_of(walker, promise)
    return None


def without_unit(story: Story) -> Iterator[Story]:
    """Leave out all of a unit."""
    for unit in sorted({s.unit for s in story if s.unit is not None}):
        yield tuple(s for s in story if s.unit != unit)


def without_epoch(story: Story) -> Iterator[Story]:
    """Leave out an epoch of a unit, and count its later ones down."""
    epochs = sorted({(s.unit, s.epoch) for s in story if s.unit is not None and s.epoch is not None})
    for unit, epoch in epochs:
        kept = (s for s in story if (s.unit, s.epoch) != (unit, epoch))
        yield tuple(earlier(s) if s.unit == unit and (s.epoch or 0) > epoch else s for s in kept)


def earlier(step: StoredStep) -> StoredStep:
    """Return the same step one epoch earlier."""
    return step._replace(epoch=(step.epoch or 1) - 1)


def without_fault(story: Story) -> Iterator[Story]:
    """Leave out one fault."""
    yield from (story[:i] + story[i + 1 :] for i, step in enumerate(story) if step.fault)


def without_run(size: int) -> Way:
    """Leave out a run of so many steps."""
    return lambda story: (story[:i] + story[i + size :] for i in range(0, len(story), size))


def renumbered(story: Story) -> Story:
    """Number the units in the order in which they first act."""
    units = list(dict.fromkeys(s.unit for s in story if s.unit is not None))
    return tuple(s if s.unit is None else s._replace(unit=units.index(s.unit)) for s in story)


def ways(story: Story) -> Iterator[Way]:
    """Yield the ways of making a story shorter, the boldest first: whole units, epochs, faults, ever shorter runs."""
    yield from (without_unit, without_epoch, without_fault)
    size = len(story) // 2
    while size:
        yield without_run(size)
        size //= 2


def least(tables: WalkTables, found: Finding) -> Finding:
    """Return the story with nothing left in it that can be left out by itself, on the lowest units."""
    best: Finding | None = None
    while best is None or found.cost < best.cost:
        best = found
        for way in ways(story_of(found)):
            found = shortened(tables, found, way)
    return lowest(tables, found)


def shortened(tables: WalkTables, found: Finding, way: Way) -> Finding:
    """Leave out, one after the other, whatever can be left out in one way."""
    tried = 0
    while True:
        story = next(islice(way(story_of(found)), tried, None), None)
        if story is None:
            return found
        again = retold(tables, story, found.property)
        if again is not None and again.cost < found.cost:
            found = again
        else:
            tried += 1


def lowest(tables: WalkTables, found: Finding) -> Finding:
    """Return the same story told of the lowest units, where they are alike."""
    story = renumbered(story_of(found))
    again = retold(tables, story, found.property)
    return again if again is not None and again.cost <= found.cost else found
