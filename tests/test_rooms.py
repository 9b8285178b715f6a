"""Which room may import which: no circle, no arrow back up. Imports within functions count like all others."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CONTRACT = ("model.machine",)
ROOMS: dict[str, tuple[str, ...]] = {
    "model": ("model",),
    "checker/search": ("checker.search", *CONTRACT),
    "checker/tables": ("checker.tables", "checker.search", *CONTRACT),
    "checker/fast": ("checker.fast", "checker.tables", "checker.search", "checker.errors", *CONTRACT),
    "checker/reduce": ("checker.reduce", "checker.tables", "checker.search", "model.local_view", *CONTRACT),
    "checker/walk": ("checker.walk", "checker.tables", "checker.search", *CONTRACT),
}
"""What each room may import of this package."""


def imports(path: Path) -> set[str]:
    """Return what a file imports of this package, without the import root."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    names |= {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    return {name.removeprefix("fencebench.") for name in names if name.startswith("fencebench")}


def under(name: str, allowed: tuple[str, ...]) -> bool:
    return any(name == room or name.startswith(f"{room}.") for room in allowed)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_from_below(room: str) -> None:
    files = sorted((ROOT / room).glob("**/*.py"))
    guilty = {(path.name, name) for path in files for name in imports(path) if not under(name, ROOMS[room])}
    assert files
    assert guilty == set()


def test_an_import_that_is_not_allowed_is_found(tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text("def late():\n    from fencebench.checker.cli import main\n    import fencebench.model.fences\n")
    assert imports(file) == {"checker.cli", "model.fences"}
    assert not any(under(name, ROOMS["checker/fast"]) for name in imports(file))
