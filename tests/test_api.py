"""The Python API: its own examples, and what a person does with it."""

import doctest
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import fencebench
from fencebench import REFERENCE, BadInput, as_svg, as_text, check
from fencebench.checker import api

ROOT = Path(__file__).parent.parent
WEAK = REFERENCE.without("resume.other_revision")
SMALL: Any = {"shards": 1, "faults": 1, "ceiling": 3700}


def test_every_example_of_the_api_is_real(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = doctest.testmod(api)
    assert (found.failed, found.attempted > 10) == (0, True)


def test_every_name_of_the_face_is_there_and_says_what_it_is() -> None:
    for name in fencebench.__all__:
        value = getattr(fencebench, name)
        assert value.__doc__ or name.isupper(), name
    with pytest.raises(AttributeError, match="no attribute 'chekc'"):
        fencebench.chekc  # noqa: B018


def test_a_finding_is_read_and_drawn() -> None:
    answer = check(WEAK, **SMALL)
    assert (answer.verdict, answer.holds) == ("violated", False)
    found = answer.broken["can_finish"]
    assert (found.faults, found.steps) == (1, 5)
    assert "VIOLATED" in as_text(answer.story("can_finish"))
    assert as_svg(answer.story()).startswith(b"<?xml")
    with pytest.raises(BadInput, match="billed_once is not broken here; broken: can_finish"):
        answer.story("billed_once")


def test_wrong_options_are_told_as_the_command_line_tells_them() -> None:
    with pytest.raises(BadInput, match="shards must be a whole number from 1 to 1,000; found 0"):
        check(shards=0)
    with pytest.raises(BadInput, match="unknown key 'shard'"):
        check(shard=1)
    with pytest.raises(BadInput, match="did you mean"):
        check("referense")


def test_a_failing_pytest_test_shows_the_story(tmp_path: Path) -> None:
    test = tmp_path / "test_mine.py"
    test.write_text(
        "from fencebench import REFERENCE, check\n\n"
        "MINE = REFERENCE.without('resume.other_revision')\n\n\n"
        "def test_it_holds():\n    assert check(MINE, shards=1, faults=1, ceiling=3700).holds\n\n\n"
        "def test_the_reference_holds():\n    assert check(shards=1, faults=1).holds\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False)
    assert ran.returncode == 1
    assert "1 failed, 1 passed" in ran.stdout
    assert "!! VIOLATED can_finish" in ran.stdout
    assert "why            Step 5: the goal is out of reach" in ran.stdout


def test_a_fence_file_loads_no_engine() -> None:
    code = "import sys; from fencebench import REFERENCE; print('numpy' in sys.modules, 'rich' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert ran.stdout == "False False\n"
