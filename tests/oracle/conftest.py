import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fencebench.checker.oracle.replay.replay import Verdict, replay

Lines = list[dict[str, object]]

OPEN: dict[str, object] = {
    "t": 0, "op": "run.open", "run": 7, "shards": [3, 4], "cases": 4, "ceiling": 3000, "revision": "rev-A",
    "input_digest": "in-1", "config_digest": "cfg-1", "lease_ttl": 60,
}  # fmt: skip


@pytest.fixture
def here() -> Path:
    return Path(__file__).parent


@pytest.fixture
def judged() -> Callable[..., Verdict]:
    """Replays a log given as dicts; a log that does not open its run is given the usual `run.open`."""

    def judge(lines: Lines, **plan: object) -> Verdict:
        opened = lines if lines and lines[0]["op"] == "run.open" else [{**OPEN, **plan}, *lines]
        return replay([json.dumps({"run": 7, **line}) for line in opened], "test")

    return judge
