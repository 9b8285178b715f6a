"""How a command ends: an exit code that means what it says, and one line. Real processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fencebench.checker.cli import main as command_line
from fencebench.checker.errors import BROKEN, CLOSED

ROOT = Path(__file__).parents[2]
SMALL = ("check", "--shards", "1", "--faults", "0")


def run(*words: str, cwd: Path | None = None, **more: object) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), **more.pop("env", {})}  # type: ignore[dict-item]
    settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    return subprocess.run(  # type: ignore[call-overload,no-any-return]
        [sys.executable, "-m", "fencebench", *words], env=env, cwd=cwd or ROOT, text=True, timeout=120, **settings
    )


def one_line(text: str) -> bool:
    return text.startswith("fencebench: ") and text.count("\n") == 1


def test_a_closed_pipe_is_quiet_and_never_says_violated() -> None:
    read, write = os.pipe()
    os.close(read)
    ran = run(*SMALL, stdout=write)
    os.close(write)
    assert (ran.returncode, ran.stderr) == (CLOSED, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_an_output_that_cannot_be_written_is_a_failure_and_says_so() -> None:
    with open("/dev/full", "w") as full:
        ran = run(*SMALL, stdout=full)
    assert ran.returncode == BROKEN
    assert one_line(ran.stderr)
    assert "standard output cannot be written" in ran.stderr


@pytest.mark.parametrize("words", [SMALL, ("list",), ("check", "spend-sketch", "--shards", "1", "--faults", "1")])
def test_an_ascii_terminal_gets_the_same_verdict_in_plain_signs(words: tuple[str, ...]) -> None:
    plain = run(*words, env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"})
    whole = run(*words, env={"PYTHONIOENCODING": "utf-8"})
    assert plain.returncode == whole.returncode
    assert plain.stderr == whole.stderr == ""
    assert plain.stdout.isascii()
    assert plain.stdout.splitlines()[0] == whole.stdout.splitlines()[0]


def test_a_failure_of_the_bench_itself_is_told_in_one_line_and_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("a wheel came off\nat speed")

    monkeypatch.setattr("fencebench.checker.cli.check.check", fails)
    assert command_line.main([*SMALL]) == BROKEN
    err = capsys.readouterr().err
    assert one_line(err)
    assert "RuntimeError: a wheel came off; the report is in " in err
    report = Path(err.strip().rpartition("the report is in ")[2])
    assert "a wheel came off" in report.read_text(encoding="utf-8")
    report.unlink()


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("import sys\nsys.exit(0)", "ends.py:2: running it raised SystemExit: 0"),
        ("import os\nos._exit(0)", "ends.py:2: running it raised SystemExit: 0"),
        ("raise KeyboardInterrupt", "ends.py:1: running it raised KeyboardInterrupt"),
        ("import argparse\nargparse.ArgumentParser().parse_args(['--help'])", "running it raised SystemExit"),
        ("def bare(request, view): return False\nfrom fencebench import REFERENCE as R\nMINE = R.having(put=(bare,))",
         "bare at put is no rule; put @rule(Refusal.…) before it"),
        ("from fencebench import REFERENCE\nMINE = REFERENCE.having(holds='None')", "holds cannot be 'None'"),
        ("from fencebench import REFERENCE\nMINE = REFERENCE.having(hold='none')", "no boundary or strategy 'hold'"),
        ("from fencebench import REFERENCE\nMINE = REFERENCE.having(put=REFERENCE.put[0])", "put must be a tuple"),
        ("from fencebench import REFERENCE, Refusal, rule\n@rule(Refusal.SEALED, behind=('comit.sealed',))\n"
         "def late(request, view): return False\nMINE = REFERENCE.having(put=(late,))", "behind names 'comit.sealed'"),
        ("from fencebench import REFERENCE as MINE\nPROMISES = [print]", "PROMISES must be a list of Promise"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("verb", [["check"], ["diff", "reference"], ["knockout"], ["oracle", "vectors"], ["walk"]])
def test_a_fence_file_that_ends_the_program_or_is_no_fence_is_bad_input(
    verb: list[str], body: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ends.py").write_text(f"{body}\n")
    before = ["reference"] if verb == ["check"] else []
    code = command_line.main([*verb, *before, f"{tmp_path / 'ends.py'}:MINE"])
    captured = capsys.readouterr()
    assert (code, captured.out) == (2, "")
    assert says in captured.err.splitlines()[-1]


def test_a_rule_that_prints_chooses_or_exits_is_found_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "odd.py").write_text(
        "import itertools\nfrom fencebench import REFERENCE, Refusal, rule\n"
        "turn = itertools.count()\nprint('loading')\n"
        "@rule(Refusal.SEALED)\ndef fickle(request, view): print('asked'); return next(turn) % 2 == 1\n"
        "@rule(Refusal.SEALED)\ndef leaves(request, view): raise SystemExit(0)\n"
        "@rule(Refusal.SEALED)\ndef vague(request, view): return None\n"
        "FICKLE, LEAVES, VAGUE = (REFERENCE.having(commit=(r,)) for r in (fickle, leaves, vague))\n"
    )
    for name, says in {
        "FICKLE": "rule commit.fickle answered False, then True to the same question",
        "LEAVES": "rule commit.leaves raised SystemExit: 0",
        "VAGUE": "rule commit.vague answered None; expected True or False",
    }.items():
        code = command_line.main(["check", f"{tmp_path / 'odd.py'}:{name}", "--shards", "1", "--faults", "0"])
        captured = capsys.readouterr()
        assert (code, captured.out) == (2, "")
        assert says in captured.err


def test_a_fence_file_imports_its_neighbours_and_none_of_ours(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("raise RuntimeError('the wrong model')\n")
    (tmp_path / "checker.py").write_text("raise RuntimeError('the wrong checker')\n")
    (tmp_path / "parts.py").write_text("GONE = 'put.conflict'\n")
    (tmp_path / "ours.py").write_text(
        "from fencebench import REFERENCE\nfrom parts import GONE\nMINE = REFERENCE.without(GONE)\n"
    )
    ran = run("check", "ours.py:MINE", "--shards", "1", "--faults", "0", cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize(
    "words",
    [
        ("--shards", "99999999999999999999"),
        ("--epochs", "100000"),
        ("--faults", str(10**26)),
        ("--lease-seconds", str(10**20)),
        ("--ceiling", str(10**40)),
        ("--preempt", "1001"),
        ("--max-seconds", "nan"),
        ("--max-states", "0"),
        ("--max-memory", "0GiB"),
    ],
)
def test_a_number_out_of_its_range_is_one_line(words: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["check", *words]) == 2
    captured = capsys.readouterr()
    assert (captured.out, one_line(captured.err), "expected" in captured.err or "must be" in captured.err) == (
        "",
        True,
        True,
    )
