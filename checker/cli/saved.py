"""The searches of one command in a directory, so that the command can go on after an end of any kind.

`command` names what is searched; `3.search` is the third search, saved now and then; `3.result` is what it found.
They are data alone: reading them runs no code, and files of another program, fence or bound are refused.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fencebench.checker.analysis.bounds import SETTINGS, SHAPE
from fencebench.checker.errors import BadInput
from fencebench.checker.fast import checkpoint_file
from fencebench.checker.fast.explore import Options, explore
from fencebench.checker.files import read_text
from fencebench.checker.search.limits import Limits, Watch, cut_short
from fencebench.checker.search.result import Result
from fencebench.model.fence import Fence
from fencebench.model.machine import Machine
from fencebench.model.settings import FAULTS


@dataclass
class Saved:
    """The searches of a command in the order in which it makes them; `number` is that of the last."""

    directory: Path
    key: str
    options: Options
    number: int = 0

    @property
    def command(self) -> Path:
        """The file that names what is searched."""
        return self.directory / "command"

    def create(self) -> None:
        """Begin in a directory that holds no checkpoint.

        Raises:
            BadInput: it holds one, or cannot be written.
        """
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"{self.directory}: cannot be written ({error.strerror}); name a place that can") from None
        if self.command.exists():
            raise BadInput(f"{self.directory}: holds a checkpoint; --resume goes on from it, or name another place")
        checkpoint_file.write(self.command, self.key, None)

    def open(self) -> None:
        """Go on from a checkpoint of the same command.

        Raises:
            BadInput: there is none.
        """
        checkpoint_file.check(self.command, self.key)

    def search(self, machine: Machine, limits: Limits, watch: Watch) -> Result:
        """Search, or go on with a search, or return what one found."""
        self.number += 1
        key, begun, ended = f"{self.key} {self.number}", self.file("search"), self.file("result")
        if ended.exists():
            found: Result = checkpoint_file.read(ended, key)
            return found
        options = replace(self.options, checkpoint=begun, resume=begun.exists(), key=key)
        result = explore(machine, limits, watch, options)
        if not cut_short(result.limit):
            checkpoint_file.write(ended, key, result)
            begun.unlink(missing_ok=True)
        return result

    def file(self, what: str) -> Path:
        """Return the file for this search."""
        return self.directory / f"{self.number}.{what}"


def identity(fences: Iterable[Fence], limits: Limits, options: Mapping[str, Any]) -> str:
    """Tell what is searched apart from all else: the fences with their files, bounds and settings."""
    bounds = {name: options[name] for name in (*SHAPE, *SETTINGS, *FAULTS, "symmetry")}
    file = options["bounds_file"]
    return repr(([*map(about, fences)], bounds, read_text(file) if file else "", limits.stop_at))


def about(fence: Fence) -> tuple[object, ...]:
    """Describe a fence: its rules and strategies, and the content of every file that a rule or its name points to."""
    rules = [(full, rule.refusal, rule.behind) for full, rule in fence.rules()]
    codes = [getattr(rule.applies, "__code__", None) for _, rule in fence.rules()]
    files = {code.co_filename for code in codes if code is not None} | {fence.name.rpartition(":")[0]}
    return fence.name, rules, fence.strategies(), digest(Path(name) for name in sorted(files) if name.endswith(".py"))


def digest(files: Iterable[Path]) -> str:
    """Return a digest of the contents of files."""
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()
