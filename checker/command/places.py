"""Where a fence stands in a file, so that a pull request can carry its verdict as an annotation."""

import ast
import importlib
import pkgutil
from dataclasses import dataclass
from pathlib import Path

import model.fences
from checker.command.variants import SUFFIX
from model.fence import Fence
from model.fences import FENCES


@dataclass(frozen=True)
class Place:
    """A file, relative to where the command runs if it lies below, and a line counted from 1."""

    file: str
    line: int


def place_of(name: str) -> Place | None:
    """Return where the fence of this name or `path/to/file.py:NAME` is defined; a variant is where its base is."""
    base = SUFFIX.split(name)[0]
    if ":" in base:
        path, _, attribute = base.rpartition(":")
        return placed(Path(path), attribute)
    fence = FENCES.get(base.lower())
    return catalogued(fence) if fence else None


def catalogued(fence: Fence) -> Place | None:
    """Return where the catalogue defines a fence: the module that assigns it."""
    for info in pkgutil.iter_modules(model.fences.__path__):
        module = importlib.import_module(f"model.fences.{info.name}")
        for attribute, value in vars(module).items():
            if value is fence and module.__file__ and (place := placed(Path(module.__file__), attribute)):
                return place
    return None


def placed(path: Path, attribute: str) -> Place | None:
    """Return the line that assigns a name at the top of a file, or None."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, UnicodeDecodeError):
        return None
    lines = [node.lineno for node in tree.body if attribute in assigned(node)]
    return Place(near(path), lines[-1]) if lines else None


def assigned(node: ast.stmt) -> list[str]:
    """Return the names that a statement assigns."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def near(path: Path) -> str:
    """Write a path relative to the working folder where it lies below, with forward slashes."""
    whole, here = path.resolve(), Path.cwd().resolve()
    return (whole.relative_to(here) if whole.is_relative_to(here) else path).as_posix()
