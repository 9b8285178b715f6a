"""What the README says is what the program prints."""

import re
import sys
from pathlib import Path

import pytest

from tests.readme import CONSOLE, README, commands, main, python_files, with_table, words

TEXT = README.read_text(encoding="utf-8")
RUNS = re.findall(r"`fencebench (check [^`]*)` \| (\d) \|", TEXT)
CONTRADICTIONS = re.findall(r"`fencebench (check [^`]*)` \|\n", TEXT)


def printed(command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a command and return what it prints, or write it where the command says."""
    arguments, target = words(command)
    monkeypatch.setattr(sys, "argv", ["fencebench", *arguments])
    main(arguments)
    out = capsys.readouterr().out
    if target:
        Path(target).write_text(out, encoding="utf-8")
        return ""
    return out


def blocks() -> list[str]:
    return CONSOLE.findall(TEXT)


@pytest.mark.parametrize("block", blocks(), ids=lambda block: commands(block)[0][:60])
def test_a_console_block_is_real(
    block: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, body in python_files(TEXT).items():
        (tmp_path / name).write_text(body, encoding="utf-8")
    real = "".join(f"$ {command}\n{printed(command, capsys, monkeypatch)}" for command in commands(block))
    assert real == block


def test_the_table_of_fences_is_the_catalogue() -> None:
    assert with_table(TEXT) == TEXT


@pytest.mark.parametrize(("command", "code"), RUNS)
def test_a_workload_exits_as_the_table_says(command: str, code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command.split()) == int(code)
    assert capsys.readouterr().out


@pytest.mark.parametrize("command", CONTRADICTIONS)
def test_a_contradiction_shows(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(command.split())
    captured = capsys.readouterr()
    assert code == (2 if "--lease-seconds" in command else 1)
    named = re.search(r"--property (\w+)", command)
    if named:
        assert f"VIOLATED {named.group(1)}" in captured.out


def test_the_tables_are_not_empty() -> None:
    assert len(RUNS) == 8
    assert len(CONTRADICTIONS) == 6
    assert len(blocks()) == 6
