"""A promise, a fault, a boundary, a format are one record each: added to a copy, every command knows them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.quick import thorough

ROOT = Path(__file__).parent.parent
SMALL = ("--shards", "1", "--faults", "1", "--ceiling", "1850")

PROMISE = '''

def one_grant(ledger: Ledger, *, setup: Setup) -> str | None:
    """No shard is granted twice.

    Source: this test.
    """
    return f"epoch {ledger.highest} is granted" if ledger.highest > 0 else None


PROMISES = (*PROMISES, Promise(one_grant, title="A shard is granted twice", group=MONEY))
'''

FAULT = '''

def lose_power(fixture: int, *, setup: Setup) -> Iterator[Step]:
    """Fault: the lights go out, and nobody notices."""
    event = Event("lose_power", "fixture", label="power fails", fault="lose_power")
    yield Step(event, (), Effect(fault="lose_power"))
'''


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, (path, old)
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with one record more of each."""
    root = tmp_path_factory.mktemp("package")
    for name in ("fencebench", "model", "checker"):
        shutil.copytree(ROOT / name, root / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    with (root / "model/promises/spend.py").open("a", encoding="utf-8") as file:
        file.write(PROMISE)
    with (root / "model/machines/fixture.py").open("a", encoding="utf-8") as file:
        file.write(FAULT)
    edit(root / "model/build.py", "fixture.change_fixture)", "fixture.change_fixture, fixture.lose_power)")
    edit(
        root / "model/settings.py",
        '    Fault("cut_allowance",',
        '    Fault("lose_power", "the lights go out"),\n    Fault("cut_allowance",',
    )
    edit(
        root / "model/fence.py",
        "    epochs: Literal[",
        '    archive: tuple[Rule, ...] = boundary("the archive, before it keeps a report")\n    epochs: Literal[',
    )
    (root / "model/rules/archive.py").write_text('"""Rules at `archive`."""\n', encoding="utf-8")
    edit(
        root / "checker/report/checked.py",
        '    Format("github",',
        '    Format("tap", lambda a: f"1..{len([*a.results])}\\n", "test points"),\n    Format("github",',
    )
    return root


def run(copy: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(copy), "PYTHONSAFEPATH": "1"}
    command = [sys.executable, "-m", "fencebench", *words]
    return subprocess.run(command, env=env, cwd=copy, capture_output=True, text=True, timeout=300, check=False)


@thorough
@pytest.mark.parametrize(
    "words",
    [
        ("list",),
        ("check", *SMALL),
        *(("check", *SMALL, "--format", form) for form in ("json", "itf", "junit", "sarif", "github", "html", "tap")),
        ("check", "--shards", "any", "--faults", "1"),
        ("check", *SMALL, "--reduce"),
        ("check", *SMALL, "--engine", "plain", "--lose-power", "0"),
        ("diff", "reference", "reference-without-sealed", *SMALL),
        ("knockout", "shard-keyed", "--shards", "1", "--faults", "0", "--epochs", "1"),
        ("sweep", "skew", "--shards", "1", "--faults", "0"),
        ("sweep", "faults", "--shards", "1", "--max-seconds", "2"),
        ("sweep", "cost", "--shards", "1", "--faults", "1"),
        ("walk", "--examples", "3", "--shards", "1", "--epochs", "2", "--faults", "2"),
        ("accept", "--preemptions", "3"),
        ("oracle", "vectors"),
        ("gallery", "charge-on-commit", "-o", "gallery"),
    ],
    ids=lambda words: " ".join(words[:3]),
)
def test_every_command_knows_what_was_added(copy: Path, words: tuple[str, ...]) -> None:
    ran = run(copy, *words)
    assert ran.returncode not in (2, 70), ran.stderr
    assert "Traceback" not in ran.stderr
    if words[0] == "list":
        assert "one_grant" in ran.stdout
    if "tap" in words:
        assert ran.stdout == "1..1\n"


@thorough
def test_what_was_added_is_judged_told_and_kept(copy: Path) -> None:
    told = run(copy, "check", *SMALL, "--property", "one_grant", "--format", "json")
    run_record = json.loads(told.stdout)["runs"][0]
    assert run_record["properties"]["one_grant"]["verdict"] == "violated"
    assert run_record["coverage"]["actions"]["lose_power"] > 0
    trace = run(copy, "check", *SMALL, "--property", "one_grant", "--format", "itf")
    (copy / "story.itf.json").write_text(trace.stdout, encoding="utf-8")
    assert run(copy, "replay", "story.itf.json").stdout.startswith("STILL VIOLATES  one_grant")
    assert "A shard is granted twice" in run(copy, "render", "story.itf.json", "--format", "text").stdout
    assert "--lose-power" in run(copy, "check", "--help").stdout
