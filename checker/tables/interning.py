"""Numbers for values: equal values get one number, in the order of their arrival."""

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

Value = TypeVar("Value", bound=Hashable)


class Numbers(Generic[Value]):
    """A value's number, and the value behind a number."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        self.numbers: dict[Value, int] = {}

    def __call__(self, value: Value) -> int:
        """Return the value's number, a new one if it has none."""
        number = self.numbers.setdefault(value, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number

    def extend(self, values: Iterable[Value]) -> None:
        """Number several values."""
        for value in values:
            self(value)

    def __len__(self) -> int:
        return len(self.values)
