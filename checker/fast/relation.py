"""The next-state relation on arrays: what units can do, what the shared part answers, what strikes."""

from .grid import Pair, each
from .rows import Rows
from .tables import Tables
from .units import Units


class Relation:
    """The tables by which steps are looked up, for any search over the same machine."""

    def __init__(self, tables: Tables, rows: Rows) -> None:
        self.tables, self.rows = tables, rows
        self.units = Units(tables, rows)
        self.answers = Pair(each(tables.answer))
        self.verdicts = Pair(each(self.verdict))
        self.meetings = Pair(each(rows.meeting))

    def verdict(self, shared: int, label: int) -> int:
        """Return the alarm of a step with this label from a shared part."""
        after = self.tables.answer(shared, self.rows.labels.values[label].effect)
        return self.rows.verdict(shared, after, label)
