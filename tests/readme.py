"""Writes the parts of the README that a program prints; `test_readme` keeps them equal."""

import re
import shlex
from pathlib import Path

from fencebench.checker.cli.main import main
from fencebench.model.fences import EXPECTED, FENCES

README = Path(__file__).parent.parent / "README.md"
CONSOLE = re.compile(r"```console\n(.*?)```", re.S)


def fences_table() -> str:
    """Tabulate the catalogue."""
    rows = ["| fence | what it is | verdict | breaks, among others |", "|---|---|---|---|"]
    for name, fence in FENCES.items():
        broken = ", ".join(f"`{promise}`" for promise in EXPECTED[name].broken) or "nothing"
        rows.append(f"| `{name}` | {fence.summary} | {EXPECTED[name].verdict} | {broken} |")
    return "\n".join(rows)


def commands(block: str) -> list[str]:
    """Return the commands of a console block."""
    return [line[2:] for line in block.splitlines() if line.startswith("$ ")]


def python_files(text: str) -> dict[str, str]:
    """Return the Python files that the README shows, by name."""
    return dict(re.findall(r"```python\n# (\S+\.py)\n(.*?)```", text, re.S))


def words(command: str) -> tuple[list[str], str | None]:
    """Split a command into its words after `fencebench`, and the file that its output goes to."""
    line, _, target = command.partition(" > ")
    return shlex.split(line)[1:], target or None


def with_table(text: str) -> str:
    """Return the README with the catalogue's table of now."""
    return re.sub(r"(<!-- fences -->\n).*?(<!-- /fences -->)", rf"\1{fences_table()}\n\2", text, flags=re.S)


__all__ = ["CONSOLE", "README", "commands", "fences_table", "main", "python_files", "with_table", "words"]
