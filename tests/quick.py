"""What of a test's values the quick suite takes; the rest is thorough."""

from collections.abc import Iterable
from typing import Any

import pytest

thorough = pytest.mark.thorough


def thorough_but(every: Iterable[Any], *quick: Any) -> list[Any]:
    """Return every value of a test, each marked thorough but those that are quick; a tuple is a row of values.

    Raises:
        ValueError: a quick value is none of them.
    """
    values = list(every)
    if strange := [value for value in quick if value not in values]:
        raise ValueError(f"no values of this test: {strange}")

    def one(value: Any) -> Any:
        row = value if isinstance(value, tuple) else (value,)
        return pytest.param(*row, marks=() if value in quick else thorough)

    return [one(value) for value in values]
