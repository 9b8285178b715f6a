"""Long commands: killed, interrupted, short of memory, they go on or say what to do. Real processes, real signals."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fencebench.checker.cli.main import main
from fencebench.model.settings import FAULTS
from tests.quick import thorough

ROOT = Path(__file__).parents[2]
RARE = [f"{fault} = 0" for fault in FAULTS if fault != "preempt"]
UNION = "\n".join(["faults = 1", "ceiling = 3700", *RARE, "[[bounds]]", "shards = 1", "[[bounds]]", "shards = 2"])


@pytest.fixture
def words(tmp_path: Path) -> tuple[str, ...]:
    """A command over two bounds of some thousand states."""
    (tmp_path / "bounds.toml").write_text(UNION, encoding="utf-8")
    return "reference", "--bounds", str(tmp_path / "bounds.toml")


def start(*words: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "fencebench", "check", *words]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(process: "subprocess.Popen[str]", path: Path) -> None:
    """Wait until the process has written the file, or has ended."""
    while not path.exists() and process.poll() is None:
        time.sleep(0.002)


def body(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("reproduce:")]


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Run a command that is bad input; return its one line."""
    assert main(["check", *words]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.count("\n") == 1
    return error


@thorough
def test_a_command_killed_at_any_moment_ends_as_if_it_had_not_been(words: tuple[str, ...], tmp_path: Path) -> None:
    folder, how = tmp_path / "saved", "--checkpoint"
    for name in ("command", "1.result", "2.search"):
        with start(*words, how, str(folder), "--checkpoint-seconds", "0") as process:
            wait_for(process, folder / name)
            os.kill(process.pid, signal.SIGKILL)
        assert (folder / name).exists(), name
        how = "--resume"
    with start(*words, "--resume", str(folder)) as process, start(*words) as other:
        resumed, whole = process.communicate(), other.communicate()
    assert (process.returncode, body(resumed[0]), resumed[1]) == (other.returncode, body(whole[0]), whole[1])
    assert process.returncode == 0
    assert sorted(path.name for path in folder.iterdir()) == ["1.result", "2.result", "command"]


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A finished checkpoint of one small bound of a fence file, with broken promises."""
    fence = "from fencebench.model.fences import FENCES\nMINE = FENCES['spend-sketch']\n"
    (tmp_path / "mine.py").write_text(fence, encoding="utf-8")
    assert main(["check", *mine(tmp_path), "--checkpoint", str(tmp_path / "saved")]) == 1
    capsys.readouterr()
    return tmp_path / "saved"


def mine(tmp_path: Path, **changes: str) -> list[str]:
    bound = {"shards": "1", "faults": "1", "ceiling": "1850", **changes}
    return [f"{tmp_path}/mine.py:MINE", *(word for name, value in bound.items() for word in (f"--{name}", value))]


def test_a_finished_command_needs_no_search_to_tell_again(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    main(["check", *mine(tmp_path)])
    told = capsys.readouterr().out
    monkeypatch.setattr("fencebench.checker.cli.saved.explore", None)
    main(["check", *mine(tmp_path), "--resume", str(folder)])
    assert body(capsys.readouterr().out) == body(told)


@pytest.mark.parametrize(
    "changes", [{"faults": "0"}, {"ceiling": "3700"}, {"lease-seconds": "400"}, {"stop-at": "all"}]
)
def test_a_checkpoint_of_another_bound_is_refused(
    changes: dict[str, str], folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    error = refused(capsys, *mine(tmp_path, **changes), "--resume", str(folder))
    assert "a checkpoint of another fence, bound, option or version" in error


@pytest.mark.parametrize("edit", ["", ".without('lease_over')"])
def test_a_checkpoint_of_a_fence_file_that_was_edited_is_refused(
    edit: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edited = f"from fencebench.model.fences import FENCES\n\nMINE = FENCES['spend-sketch']{edit}\n"
    (tmp_path / "mine.py").write_text(edited, encoding="utf-8")
    assert "another fence" in refused(capsys, *mine(tmp_path), "--resume", str(folder))


@pytest.mark.parametrize("name", ["command", "1.result"])
def test_a_damaged_checkpoint_is_refused(
    name: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = bytearray((folder / name).read_bytes())
    data[60] ^= 1
    (folder / name).write_bytes(data)
    assert f"{name}: damaged" in refused(capsys, *mine(tmp_path), "--resume", str(folder))


def test_what_cannot_be_used_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here, file = str(tmp_path / "here"), tmp_path / "file"
    file.touch()
    assert "no checkpoint here" in refused(capsys, "--resume", here)
    assert "cannot be written" in refused(capsys, "--checkpoint", str(file))
    assert "cannot be written" in refused(capsys, "--checkpoint", str(file / "below"))
    assert "leave --checkpoint out" in refused(capsys, "--checkpoint", here, "--resume", here)
    assert "need the fast engine" in refused(capsys, "--engine", "plain", "--checkpoint", here)
    for size in ("12", "-1GiB", "0MiB", "lots", "3 gib"):
        assert f"such as 500MiB or 12GiB; found '{size}'" in refused(capsys, "--max-memory", size)


def test_a_folder_with_a_checkpoint_is_not_begun_anew(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "holds a checkpoint; --resume" in refused(capsys, *mine(tmp_path), "--checkpoint", str(folder))


def test_files_serve_where_memory_does_not(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    for more in ((), ("--max-memory", "1KiB")):
        assert main(["check", *words, *more]) == 0
        told.append(body(capsys.readouterr().out))
    assert told[0] == told[1]


def test_neither_memory_nor_files_is_undetermined_and_says_what_to_do(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fencebench.checker.cli.engine_options.gettempdir", lambda: str(tmp_path / "gone"))
    assert main(["check", *words, "--max-memory", "1KiB"]) == 3
    out = capsys.readouterr().out
    assert out.startswith("UNDETERMINED")
    assert "gone has no room for files (No such file or directory); raise --max-memory" in " ".join(out.split())


def test_ctrl_c_leaves_the_counts(tmp_path: Path) -> None:
    words = ("reference", "--shards", "3", "--faults", "1", "--checkpoint", str(tmp_path), "--checkpoint-seconds", "0")
    with start(*words) as process:
        wait_for(process, tmp_path / "1.search")
        process.send_signal(signal.SIGINT)
        out, error = process.communicate()
    assert (process.returncode, error) == (3, "")
    assert out.startswith("UNDETERMINED")
    assert re.search(r"ceiling 5550 +[\d,]+ +[\d,]+ +\d+ +undetermined", out)
    assert "by the keyboard; the counts are those until then" in out
    assert "ceiling 7400" not in out
