"""Progress judged on the states that a small search reached: which hopeful ones the goal is out of reach of."""

from fencebench.checker.fast.small import SmallSearch
from fencebench.checker.fast.violations import Violation
from fencebench.model.machine import Progress


def stranded(search: SmallSearch, progress: Progress) -> Violation | None:
    """Return the cheapest hopeful states from which no steps without a fault lead to the goal."""
    able = able_of(search, progress)
    lost = [(search.faults(w), steps, w) for w, steps in search.reached.items() if w not in able]
    due = [one for one in sorted(lost) if progress.due(search.decode(one[2]))]
    if not due:
        return None
    cost = due[0][:2]
    return Violation(*cost, None, [word for *other, word in due if tuple(other) == cost])


def able_of(search: SmallSearch, progress: Progress) -> set[int]:
    """Return the states from which steps without a fault lead to the goal."""
    shareds = search.tables.shareds.values
    queue = [word for word in search.reached if progress.goal(shareds[word >> search.top])]
    able = set(queue)
    for word in queue:
        for before in search.sources.get(word, ()):
            if before not in able and search.faults(before) == search.faults(word):
                able.add(before)
                queue.append(before)
    return able
