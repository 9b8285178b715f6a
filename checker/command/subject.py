"""What a command is about: its fences, its bounds, its limits, and the line that gives it again."""

import shlex
import sys
from collections.abc import Mapping
from typing import Any, Literal

from checker.command.bounds import SHAPE, TIMES, Asked, asked, bound_options
from checker.errors import BadInput
from checker.result import Limits
from model.settings import FAULTS


def bounds_asked(options: Mapping[str, Any]) -> Asked:
    """Return the bounds of the command's options."""
    return asked({name: options[name] for name in (*SHAPE, *TIMES, *FAULTS)}, options["bounds_file"])


def limits_asked(options: Mapping[str, Any], stop_at: Literal["first", "all"] = "all") -> Limits:
    """Return the limits of the command's options.

    Raises:
        BadInput: a limit is not above 0.
    """
    for name in ("max_states", "max_seconds"):
        if options.get(name) is not None and options[name] <= 0:
            raise BadInput(f"--{name.replace('_', '-')} must be above 0; found {options[name]}")
    return Limits(options.get("max_states"), options.get("max_seconds"), stop_at)


def typed() -> str:
    """Return the command as it was typed, less where its searches are saved."""
    words, kept = iter(sys.argv[1:]), ["fencebench"]
    for word in words:
        if word in ("--checkpoint", "--resume"):
            next(words, None)
        elif not word.startswith(("--checkpoint=", "--resume=")):
            kept.append(word)
    return shlex.join(kept)


def again(command: str, wanted: Asked) -> str:
    """Return the line that gives this answer again: as it was typed, or made up from a single bound."""
    if sys.argv[0].endswith(("fencebench", "checker/__main__.py")):
        return typed()
    one = f" {bound_options(wanted.bounds[0], wanted.settings)}" if len(wanted.bounds) == 1 else ""
    return f"fencebench {command}{one}"
