"""The page for implementers: its files are written and its commands run, in order."""

import re
import shlex
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from fencebench.checker.cli.main import main

PAGE = Path(__file__).parent.parent.parent / "docs" / "implementers.md"


class Block(NamedTuple):
    language: str
    option: str
    text: str


def blocks() -> list[Block]:
    found = re.findall(r"^```(\w+) (\S+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [Block(*block) for block in found]


def test_every_block_of_the_page_is_run() -> None:
    assert len(re.findall(r"^```\w", PAGE.read_text(encoding="utf-8"), re.MULTILINE)) == len(blocks())
    assert {block.language for block in blocks()} == {"python", "json", "console"}


def test_the_page_does_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for block in blocks():
        name, _, value = block.option.partition("=")
        if name == "file":
            Path(value).write_text(block.text, encoding="utf-8")
        else:
            assert run(block.text) == int(value), block.text
    assert Path("divergence.svg").exists()


def run(text: str) -> int:
    words = shlex.split(text.removeprefix("$ "))
    assert words[0] == "fencebench"
    return main([sys.executable if word == "python" else word for word in words[1:]])


def test_the_example_is_as_long_as_the_page_says() -> None:
    code = next(block.text for block in blocks() if block.language == "python")
    assert len([line for line in code.splitlines() if line.strip()]) <= 33
