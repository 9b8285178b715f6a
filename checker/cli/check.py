"""The command `check --shards any`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import click

from fencebench.checker.analysis.any_shards import AnyShards, check_any
from fencebench.checker.analysis.bounds import Asked, fits_fence, read_toml, with_earlier_run
from fencebench.checker.analysis.check import EXITS, Checked, Engine, check
from fencebench.checker.analysis.fences import find_fence
from fencebench.checker.answered.table import ahead
from fencebench.checker.cli.engine_options import engine_asked
from fencebench.checker.cli.options import (
    EXIT_CODES,
    HELP,
    HTML,
    again,
    bound_options,
    bounds_asked,
    check_property,
    given,
    limits_asked,
    long_options,
)
from fencebench.checker.cli.progress import asking, clear, interruptible, watcher
from fencebench.checker.errors import BadInput
from fencebench.checker.files import artifact, write_whole
from fencebench.checker.report.any_text import FORMATS as ANY_FORMATS
from fencebench.checker.report.any_text import AnyAnswer
from fencebench.checker.report.checked import FORMATS, Answer, as_page
from fencebench.checker.report.ci import save_pictures
from fencebench.checker.report.form import Format, format_option
from fencebench.checker.report.stored import trace_text
from fencebench.checker.report.text import case_of, mixture
from fencebench.checker.search.limits import INTERRUPTED, Limits
from fencebench.model.any_shards import NOT_COVERED
from fencebench.model.build import build
from fencebench.model.fence import Fence
from fencebench.model.fences import EXPECTED, FENCES, KEYED_WITHOUT_RUN
from fencebench.model.promises.catalogue import promises_of
from fencebench.model.promises.promise import Scope
from fencebench.model.settings import Bound


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
    refused |= {f"--{name}": options[name] is not None for name in ("html", "pictures")}
    for name in (name for name, is_given in refused.items() if is_given):
        raise BadInput(f"--shards any goes with no {name}: nothing is counted there that depends on how many there are")
    if options["form"].name not in ANY_FORMATS:
        raise BadInput(f"--shards any has no --format {options['form'].name}; expected one of {', '.join(ANY_FORMATS)}")
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
    tokens_by_rules(fences)
    wanted = any_asked(options)
    for fence in fences:
        fits_fence(fence, wanted)
    results = [checked_any(fence, wanted, limits, engine) for fence in fences]
    for result in results if traces else ():
        for name in result.real.findings:
            place = artifact(Path(str(traces)), result.fence.name, name, ".itf.json")
            write_whole(place, trace_text(result.case(name)))
    verdict = mixture([result.verdict for result in results])
    answer = AnyAnswer(results, verdict, options["property_"], again("check --shards any", wanted))
    print(ANY_FORMATS[options["form"].name].write(answer), end="")
    return EXITS[verdict]


def checked_any(fence: Fence, wanted: Asked, limits: Limits, engine: Engine) -> AnyShards:
    """Check one fence, with progress."""
    try:
        return check_any(fence, wanted, limits, engine, watcher(fence.name))
    finally:
        clear()


def run_check(fences: tuple[str, ...], every: bool, form: Format[Answer], traces: Path | None, **options: Any) -> int:
    """Check the named fences; print; return the exit code."""
    named = [find_fence(name) for name in (FENCES if every else fences or ("reference",))]
    check_property(options["property_"], named)
    limits = limits_of(options)
    engine = engine_asked(options, named, limits)
    if options["reduce"]:
        tokens_by_rules(named)
        fits_reduction(named, every, options["property_"])
    if wants_any(options):
        return run_any(named, limits, engine, traces, {**options, "every": every, "form": form})
    wanted = bounds_asked(options)
    for fence in named:
        fits_fence(fence, wanted)
    results = [*until_stopped(checked(fence, wanted, limits, engine) for fence in named)]
    verdict = mixture([r.verdict for r in results])
    code = EXITS[verdict]
    if every and results[-1].limit != INTERRUPTED:
        code = 0 if all(as_expected(r, wanted, engine) for r in results) else 1
    answer = Answer(
        results,
        verdict,
        code,
        reproduce=again("check --all" if every else "check", wanted),
        searched=tuple(given(NOT_SEARCH)),
        property_=options["property_"],
        every=every,
        pictures=options["pictures"],
    )
    keep(answer, traces, options["html"])
    print(form.write(answer), end="")
    return code


def keep(answer: Answer, traces: Path | None, html: Path | None) -> None:
    """Write the files that are asked for: traces, pictures, the page."""
    for result in answer.results if traces else ():
        save(result, Path(str(traces)))
    if answer.pictures:
        save_pictures(answer.reports, answer.pictures)
    if html:
        write_whole(html, as_page(answer))


def fits_reduction(fences: Sequence[Fence], every: bool, property_: str | None) -> None:
    """Refuse what a reduced search does not judge.

    Raises:
        BadInput: it is asked for.
    """
    if every:
        raise BadInput("--all compares counts of states with expected ones, so it goes without --reduce")
    for promise in (p for fence in fences for p in promises_of(fence) if p.name == property_):
        if promise.scope in (Scope.FINAL, Scope.GRAPH):
            raise BadInput(f"--reduce says nothing of {promise.name}: {promise.scope}; leave --reduce out")


def as_expected(result: Checked, wanted: Asked, engine: Engine) -> bool:
    """Say whether a fence's verdict and its counts at one shard and one fault are those of the catalogue."""
    expected = EXPECTED[result.fence.name]
    return result.verdict == expected.verdict and counts(result.fence, wanted, engine) == expected.counts


def counts(fence: Fence, wanted: Asked, engine: Engine) -> tuple[tuple[int, int], ...]:
    """Count states and depth at one shard and one fault, at both ceilings."""
    bounds = (Bound(faults=1, spare_attempts=spare) for spare in (0, 1))
    found = (engine(build(fence, bound, wanted.settings), Limits(), lambda *_: None) for bound in bounds)
    return tuple((r.states, r.depth) for r in found)


def limits_of(options: Mapping[str, Any]) -> Limits:
    """Return the limits that were asked for."""
    stop_at: Literal["first", "all"] = "all" if options["property_"] else options["stop_at"]
    return limits_asked(options, stop_at)


def tokens_by_rules(fences: list[Fence]) -> None:
    """Refuse a fence of which somebody else answers where tokens are summed: a reduced state has no such sums.

    Raises:
        BadInput: there is one.
    """
    for fence in fences:
        for boundary in ("reserve", "call"):
            if fence.respondent(boundary):
                raise BadInput(
                    f"{fence.name}: {boundary} is answered by your own code; leave out --reduce, --shards any"
                )


def checked(fence: Fence, wanted: Asked, limits: Limits, engine: Engine) -> Checked:
    """Check one fence, with progress; one that forgets the run in a key is also tried as a second run."""
    if wanted.union and fence.name in KEYED_WITHOUT_RUN:
        wanted = with_earlier_run(wanted)
    with asking(fence), interruptible(watcher(fence.name)) as watch:
        try:
            ahead(fence, wanted.bounds, wanted.settings, watch)
            return check(fence, wanted, limits, engine, watch)
        finally:
            clear()


def until_stopped(results: Iterable[Checked]) -> Iterator[Checked]:
    """Yield results up to the one that the keyboard stopped."""
    for result in results:
        yield result
        if result.limit == INTERRUPTED:
            return


def save(result: Checked, folder: Path) -> None:
    """Store the trace of every broken promise."""
    for name in result.findings:
        write_whole(artifact(folder, result.fence.name, name, ".itf.json"), trace_text(case_of(result, name)))


NOT_SEARCH = ("form", "pictures", "traces", "html", "every", "property_", "checkpoint", "resume", "checkpoint_seconds")
"""Options that change nothing of what is found."""


@click.command("check", context_settings=HELP, epilog=EXIT_CODES)
@click.argument("fences", nargs=-1, metavar="[FENCE]...")
@click.option("--all", "every", is_flag=True, help="every catalogued fence against its expected verdict")
@format_option(FORMATS)
@HTML
@click.option("--pictures", type=click.Path(path_type=Path), help="a folder for a picture of every broken promise")
@click.option("--stop-at", type=click.Choice(["first", "all"]), default="first", show_default=True)
@click.option("--property", "property_", help="tell the story of this promise (implies --stop-at all)")
@click.option("--traces", type=click.Path(path_type=Path), help="a folder for the trace of every broken promise")
@click.option("--max-states", type=int, help="stop undetermined after so many states in one bound")
@click.option("--max-seconds", type=float, help="stop undetermined after so many seconds in one bound")
@click.option("--engine", type=click.Choice(["auto", "fast", "plain"]), default="auto", show_default=True)
@long_options
@click.option("--symmetry/--no-symmetry", default=True, help="count states that differ by the order of shards once")
@click.option("--reduce/--no-reduce", default=False, help="make each shard small first: for safety promises alone")
@bound_options
def check_command(**options: Any) -> None:
    """Check fences (default: reference) over a union of bounds."""
    raise SystemExit(run_check(**options))
