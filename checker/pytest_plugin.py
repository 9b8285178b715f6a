"""For pytest: a test that fails on `assert check(…).holds` shows the shortest story."""

from collections.abc import Generator
from typing import Any

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the stories of what did not hold to the report of a failed test."""
    import sys

    report = yield
    api = sys.modules.get("fencebench.checker.api")
    if api is None:  # the test never asked the bench
        return report
    if report.when == "call" and report.failed:
        report.sections += [("fencebench", api.told(answer)) for answer in dict.fromkeys(api.BROKEN_NOW)]
    api.BROKEN_NOW.clear()
    return report
