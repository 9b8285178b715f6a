import shutil
import sys
from pathlib import Path

import pytest

from fencebench.checker.cli.main import main
from tests.implementations.hammer import Place, hammer, sqlite
from tests.quick import thorough, thorough_but

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SQL = (sys.executable, "-m", "tests.implementations.serve")
JS = str(HERE / "ledger.mjs")
ALONE = ("gate-on-committed", "swept", "upsert")
"""Flaws that show without concurrency."""


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes find the package `tests` where they are started."""
    monkeypatch.chdir(ROOT)


def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.fail("this test drives a process in Node.js and needs the program node, which is not on the path")
    return found


def drive(tmp_path: Path, *words: str, runs: int = 60) -> int:
    saved = str(tmp_path / "found.jsonl")
    return main(["oracle", "drive", "--runs", str(runs), "--save", saved, *words])


def test_sqlite_conforms_under_the_drive(tmp_path: Path) -> None:
    assert drive(tmp_path, "--", *SQL, ":memory:") == 0


def test_postgres_conforms_under_the_drive(tmp_path: Path, server: Place) -> None:
    assert drive(tmp_path, "--no-covering", "--", *SQL, server.name, runs=20) == 0


def test_node_answers_just_as_the_reference_does(tmp_path: Path) -> None:
    assert drive(tmp_path, "--", node(), JS) == 0
    assert drive(tmp_path, "--fence", "reference", "--", node(), JS) == 0


@pytest.mark.parametrize("flaw", thorough_but(ALONE, "gate-on-committed"))
def test_the_drive_catches_each_flaw(tmp_path: Path, flaw: str) -> None:
    command, saved = (node(), JS), str(tmp_path / "found.jsonl")
    assert drive(tmp_path, "--", *command, flaw, runs=100) == 1
    assert main(["oracle", "replay", saved]) == 1
    assert main(["oracle", "drive", "--replay", saved, "--", *command, flaw]) == 1
    assert main(["oracle", "drive", "--replay", saved, "--", *command]) == 0


@pytest.mark.parametrize("flaw", thorough_but(ALONE[::2], "upsert"))
def test_the_drive_catches_a_flaw_on_sqlite(tmp_path: Path, flaw: str) -> None:
    assert drive(tmp_path, "--", *SQL, ":memory:", flaw) == 1


@thorough
@pytest.mark.parametrize("flaw", ALONE[:1])
def test_the_drive_catches_a_flaw_on_postgres(tmp_path: Path, server: Place, flaw: str) -> None:
    assert drive(tmp_path, "--", *SQL, server.name, flaw) == 1


@pytest.mark.parametrize("seed", thorough_but(range(3), 0))
def test_sqlite_stands_eight_clients_that_are_killed(tmp_path: Path, seed: int) -> None:
    with sqlite(tmp_path) as place:
        assert hammer(place, tmp_path, seed) == ""


@pytest.mark.parametrize("seed", thorough_but(range(2), 0))
def test_postgres_stands_them_and_a_restart(server: Place, tmp_path: Path, seed: int) -> None:
    assert hammer(server, tmp_path, seed) == ""


@pytest.mark.parametrize("flaw", thorough_but(["check-then-act", *ALONE], "check-then-act"))
def test_each_flaw_is_caught_on_sqlite(tmp_path: Path, flaw: str) -> None:
    with sqlite(tmp_path) as place:
        assert any(hammer(place, tmp_path, seed, flaw) for seed in range(3))


@pytest.mark.parametrize("flaw", thorough_but(["check-then-act", *ALONE], "check-then-act"))
def test_each_flaw_is_caught_on_postgres(server: Place, tmp_path: Path, flaw: str) -> None:
    assert any(hammer(server, tmp_path, seed, flaw) for seed in range(3))
