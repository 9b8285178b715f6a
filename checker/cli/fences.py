"""Finds a fence: by its name in the catalogue, or in somebody's Python file, which is executed."""

import importlib.util
import sys
from difflib import get_close_matches
from pathlib import Path

from fencebench.checker.analysis.variants import named_variant
from fencebench.checker.errors import BadInput
from fencebench.model.fence import Fence
from fencebench.model.fences import FENCES


def find_fence(name: str) -> Fence:
    """Return a catalogued fence, the one called NAME in `path/to/file.py:NAME`, or a variant of either.

    Raises:
        BadInput: there is no such fence, file or name, or the file does not run.
    """
    return named_variant(name, base_fence) or base_fence(name)


def base_fence(name: str) -> Fence:
    """Return a fence that is no variant."""
    if ":" in name or name.endswith(".py"):
        return from_file(name)
    if name not in FENCES:
        near = get_close_matches(name, FENCES, 1)
        hint = f"; did you mean {near[0]}?" if near else f"; the catalogue has {', '.join(FENCES)}"
        raise BadInput(f"no fence is called {name!r}{hint}")
    return FENCES[name]


def from_file(name: str) -> Fence:
    """Execute a Python file and return the fence that it calls NAME."""
    path, _, attribute = name.rpartition(":")
    if not path or not path.endswith(".py"):
        raise BadInput(f"{name}: expected path/to/file.py:NAME, with the name of a Fence in that file")
    found = vars(executed(Path(path))).get(attribute)
    if not isinstance(found, Fence):
        what = "is no Fence" if found is not None else "is not there"
        raise BadInput(f"{path}: {attribute} {what}; expected a Fence, such as {attribute} = REFERENCE.without(…)")
    return found.having(name=name, summary=f"{found.name}: {found.summary}")


def executed(path: Path) -> object:
    """Run a Python file as a module of its own."""
    if not path.is_file():
        raise BadInput(f"{path}: no such file; expected Python that says `from fencebench import REFERENCE`")
    spec = importlib.util.spec_from_file_location(f"fence_of_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise BadInput(f"{path}: running it raised {type(error).__name__}: {error}") from error
    return module
