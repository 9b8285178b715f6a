"""Finds a fence: by its name in the catalogue, or in somebody's Python file, which is executed."""

import importlib.util
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from traceback import extract_tb
from types import FrameType, ModuleType
from typing import Any, NoReturn

from fencebench.checker.analysis.variants import named_variant
from fencebench.checker.errors import BadInput
from fencebench.model.fence import Fence
from fencebench.model.fences import FENCES
from fencebench.model.promises.catalogue import NAMES
from fencebench.model.promises.promise import Promise
from fencebench.model.settings import FAULTS, Fault
from fencebench.model.shard import OF_EPOCH, Component, part_names


def find_fence(name: str) -> Fence:
    """Return a catalogued fence, the one called NAME in `path/to/file.py:NAME`, or a variant of either.

    Raises:
        BadInput: there is no such fence, file or name, or the file does not run.
    """
    return named_variant(name, base_fence) or base_fence(name)


def asked_alike(*fences: Fence) -> tuple[Fence, ...]:
    """Return the fences of one question, each asked for the promises that come with any of them."""
    promises = tuple(dict.fromkeys(promise for fence in fences for promise in fence.promises))
    return tuple(fence.having(promises=promises) for fence in fences)


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
    """Execute a Python file and return the fence that it calls NAME, with what stands beside it."""
    path, _, attribute = name.rpartition(":")
    if not path or not path.endswith(".py"):
        raise BadInput(f"{name}: expected path/to/file.py:NAME, with the name of a Fence in that file")
    beside = vars(executed(Path(path)))
    found = beside.get(attribute)
    if not isinstance(found, Fence):
        what = "is no Fence" if attribute in beside else "is not there"
        raise BadInput(f"{path}: {attribute} {what}; expected a Fence, such as {attribute} = REFERENCE.without(…)")
    return found.having(name=name, summary=f"{found.name}: {found.summary}", **beside_fence(path, beside))


BESIDE: dict[str, tuple[str, type]] = {
    "PROMISES": ("promises", Promise),
    "FAULTS": ("faults", Fault),
    "MACHINES": ("machines", Component),
}
"""Lists that may stand beside a fence in its file: the field of the fence, and what they are lists of."""


def beside_fence(path: str, beside: Mapping[str, object]) -> dict[str, tuple[Any, ...]]:
    """Return the promises, faults and machines that stand beside a fence in its file.

    Raises:
        BadInput: one of the lists is none, or a name in it is taken.
    """
    taken = [*NAMES, *FAULTS, *part_names(0), *OF_EPOCH]
    found = {}
    for name, (field, kind) in BESIDE.items():
        values = beside.get(name, ())
        if not isinstance(values, (list, tuple)) or not all(isinstance(one, kind) for one in values):
            raise BadInput(f"{path}: {name} must be a list of {kind.__name__}; found {values!r}")
        for one in values:
            if not str(one.name).isidentifier() or one.name in taken:
                raise BadInput(f"{path}: nothing in {name} can be called {one.name!r}; take a name that is free")
            taken.append(one.name)
        found[field] = tuple(values)
    return found


@cache
def executed(path: Path) -> ModuleType:
    """Run a Python file as a module of its own, once; it may import its neighbours. What it prints goes to stderr.

    Raises:
        BadInput: it cannot be run, or it ends the program.
    """
    if not path.is_file():
        raise BadInput(f"{path}: no such file; expected Python that says `from fencebench import REFERENCE`")
    spec = importlib.util.spec_from_file_location(f"fence_of_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    if (folder := str(path.resolve().parent)) not in sys.path:
        sys.path.append(folder)
    with aside() as pressed:
        try:
            spec.loader.exec_module(module)
        except BaseException as error:
            if pressed():
                raise
            raise BadInput(f"{where(path, error)}: running it raised {type(error).__name__}: {error}") from error
    return module


@contextmanager
def aside() -> Iterator[Callable[[], bool]]:
    """Let somebody else's code run: its output goes to stderr, it cannot end the program, Ctrl-C still does.

    What is given says whether Ctrl-C was really pressed.
    """
    pressed: list[int] = []

    def press(number: int, frame: FrameType | None) -> None:
        pressed.append(number)
        signal.default_int_handler(number, frame)

    mine = threading.current_thread() is threading.main_thread()
    before, leave = signal.signal(signal.SIGINT, press) if mine else None, os._exit
    os._exit = refuse_exit
    try:
        with redirect_stdout(sys.stderr):
            yield lambda: bool(pressed)
    finally:
        os._exit = leave
        if mine:
            signal.signal(signal.SIGINT, before)


def refuse_exit(status: int) -> NoReturn:
    """Stand in for `os._exit`, which would end the program as if all were well."""
    raise SystemExit(status)


def where(path: Path, error: BaseException) -> str:
    """Name the line of the file at which an exception left it, or the line that Python could not read."""
    if isinstance(error, SyntaxError):
        return f"{error.filename or path}:{error.lineno}"
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if Path(frame.filename) == path.absolute()]
    return f"{path}:{lines[-1]}" if lines else str(path)
