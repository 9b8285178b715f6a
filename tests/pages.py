"""What the README and the pages under `docs/` show of the program: blocks that are run, files, tables.

A block that starts with ```console is run, each of its `$` lines, in one folder a page, beside the files of the page
(blocks that start with ```language file=NAME). A line `[… 14 lines …]` stands for what is left out. In a table,
a command followed by a cell with a number exits with it. Between `<!-- name -->` and `<!-- /name -->` stands the table
of that name.
"""

import contextlib
import io
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from fencebench.checker.cli.main import main
from fencebench.checker.errors import BROKEN
from fencebench.model.fences import EXPECTED, FENCES
from tests.rooms import ROOMS

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGES = (README, ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/*.md")))
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
FILE = re.compile(r"^```\w+ file=(\S+)\n(.*?)^```$", re.M | re.S)
ROW = re.compile(r"`fencebench ([^`]*)` \| (\d) \|$", re.M)
CUT = re.compile(r"^\[… \d+ lines …\]\n", re.M)


def fences_table() -> Iterator[str]:
    """Yield the rows of the catalogue."""
    yield "| fence | what it is | verdict | breaks, among others |"
    yield "|---|---|---|---|"
    for name, fence in FENCES.items():
        broken = ", ".join(f"`{promise}`" for promise in EXPECTED[name].broken) or "nothing"
        yield f"| `{name}` | {fence.summary} | {EXPECTED[name].verdict} | {broken} |"


def rooms_table() -> Iterator[str]:
    """Yield the rows of the rooms of the code."""
    yield "| room | holds | imports |"
    yield "|---|---|---|"
    for name, room in ROOMS.items():
        place = f"{name}/" if (ROOT / name).is_dir() else f"{name}.py"
        yield f"| `{place}` | {room.holds} | {', '.join(f'`{other}`' for other in room.imports) or 'nothing'} |"


TABLES = {"fences": fences_table, "rooms": rooms_table}


def with_tables(text: str) -> str:
    """Return a page with its tables as they are now."""
    for name, rows in TABLES.items():
        table = "\n".join(rows())
        text = re.sub(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", rf"\g<1>{table}\n\2", text, flags=re.S)
    return text


def shown(block: str) -> list[tuple[str, str]]:
    """Return the commands of a block, each with what the page shows that it prints."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.M)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def files(text: str) -> dict[str, str]:
    """Return the files that a page shows, by name."""
    return dict(FILE.findall(text))


def run(words: list[str]) -> tuple[int, str]:
    """Run `fencebench` with these words; return its exit code and what it printed.

    Raises:
        RuntimeError: the bench itself failed.
    """
    with (
        mock.patch("sys.argv", ["fencebench", *words]),
        mock.patch.dict(os.environ, COLUMNS="100"),
        contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)) as out,
    ):
        code = main(words)
    if code == BROKEN:
        raise RuntimeError(f"the bench failed on {words}")
    return code, out.buffer.getvalue().decode()


def printed(command: str) -> str:
    """Run a command line; return what it prints, or write it where the command says."""
    line, _, target = command.partition(" > ")
    _, out = run(shlex.split(line)[1:])
    if target:
        Path(target).write_text(out, encoding="utf-8")
        return ""
    return out


def cut(real: str, page: str) -> str:
    """Return what was printed, cut as the page cuts it: as many lines before and after the mark."""
    if not CUT.search(page):
        return real
    head, tail = (len(part.splitlines()) for part in CUT.split(page, maxsplit=1))
    lines = real.splitlines(keepends=True)
    gone = len(lines) - head - tail
    if gone < 1:
        return real
    return "".join([*lines[:head], f"[… {gone} lines …]\n", *lines[len(lines) - tail :]])


def rerun(block: str) -> str:
    """Return a block as the program prints it now."""
    return "".join(f"$ {command}\n{cut(printed(command), page)}" for command, page in shown(block))


@contextlib.contextmanager
def beside_files(text: str, folder: Path) -> Iterator[None]:
    """Work in a folder that holds the files of a page."""
    for name, body in files(text).items():
        (folder / name).write_text(body, encoding="utf-8")
    with contextlib.chdir(folder):
        yield
