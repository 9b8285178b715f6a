"""The command `check --shards any`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from checker.command.any_output import print_itf, print_json, print_texts
from checker.command.any_shards import AnyShards, check_any
from checker.command.bounds import Asked, fits_fence, read_toml
from checker.command.check import EXITS, Engine
from checker.command.output import mixture
from checker.command.progress import clear, watcher
from checker.command.store import trace_text
from checker.command.subject import again, bounds_asked
from checker.errors import BadInput
from checker.files import write_whole
from checker.result import Limits
from model.environment import NOT_COVERED
from model.fence import Fence

FORMATS = ("text", "json", "itf")


def wants_any(options: Mapping[str, Any]) -> bool:
    """Say whether any number of shards is asked for, by an option or by a bounds file that no option overrules."""
    if options["shards"] is not None or options["bounds_file"] is None:
        return bool(options["shards"] == "any")
    return bool(read_toml(options["bounds_file"]).get("shards") == "any")


def any_asked(options: Mapping[str, Any]) -> Asked:
    """Return the bound of one shard among others.

    Raises:
        BadInput: an option makes no sense for any number of shards.
    """
    refused = {"--ceiling": options["ceiling"] is not None, "--all": options["every"], "--reduce": options["reduce"]}
    for name in (name for name, given in refused.items() if given):
        raise BadInput(f"--shards any goes with no {name}: nothing is counted there that depends on how many there are")
    if options["form"] not in FORMATS:
        raise BadInput(f"--shards any has no --format {options['form']}; expected one of {', '.join(FORMATS)}")
    if options["property_"] in NOT_COVERED:
        raise BadInput(f"--shards any says nothing of {options['property_']}: {NOT_COVERED[options['property_']]}")
    wanted = bounds_asked({**options, "shards": 1})
    if len(wanted.bounds) != 2 or any(bound.ceiling_tokens is not None for bound in wanted.bounds):
        raise BadInput(f"{options['bounds_file']}: shards = 'any' goes with one bound, and with no ceiling")
    return Asked(wanted.bounds[:1], wanted.settings)


def run_any(
    fences: list[Fence], limits: Limits, engine: Engine, traces: Path | None, options: Mapping[str, Any]
) -> int:
    """Check the fences for any number of shards; print; return the exit code."""
    wanted = any_asked(options)
    for fence in fences:
        fits_fence(fence, wanted)
    results = [checked(fence, wanted, limits, engine) for fence in fences]
    for result in results if traces else ():
        for name in result.real.findings:
            write_whole(Path(str(traces)) / f"{result.fence.name}-{name}.itf.json", trace_text(result.case(name)))
    verdict = mixture([result.verdict for result in results])
    form = {"json": print_json, "itf": print_itf, "text": print_texts}[options["form"]]
    form(results, verdict, options["property_"], again("check --shards any", wanted))
    return EXITS[verdict]


def checked(fence: Fence, wanted: Asked, limits: Limits, engine: Engine) -> AnyShards:
    """Check one fence, with progress."""
    try:
        return check_any(fence, wanted, limits, engine, watcher(fence.name))
    finally:
        clear()
