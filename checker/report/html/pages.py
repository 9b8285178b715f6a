"""The page of each verb: what it tells first, and the stories that belong to it."""

from collections.abc import Iterator, Mapping, Sequence

from fencebench.checker.analysis.bounds import told
from fencebench.checker.analysis.case import Case
from fencebench.checker.analysis.check import Checked
from fencebench.checker.report import compared as of_diff
from fencebench.checker.report.case import story_of
from fencebench.checker.report.gallery import Exhibit
from fencebench.checker.report.html.page import Page, Sheet
from fencebench.checker.report.html.stories import Shown, shown_case
from fencebench.checker.report.stored import trace_text, written
from fencebench.checker.report.story import Story
from fencebench.checker.report.text import case_of, facts
from fencebench.checker.search.result import Verdict
from fencebench.model.build import build

BOUNDS = ("fence", "bound", "states", "transitions", "depth", "verdict")
BROKEN = ("fence", "promise", "faults", "steps", "what failed")


def of_checked(results: Sequence[Checked], verdict: Verdict, reproduce: str) -> Page:
    """Return the page of checked fences: every bound, every broken promise with its shortest story."""
    shown = [told_case(case_of(checked, name)) for checked in results for name in checked.findings]
    return Page(
        title=", ".join(checked.fence.name for checked in results),
        verdict=str(verdict),
        headline="; ".join(f"{checked.fence.name}: {checked.fence.summary}" for checked in results),
        good=verdict == Verdict.HOLDS,
        reproduce=reproduce,
        facts=[fact for checked in results for fact in facts(checked)],
        sheets=[Sheet("Bounds", BOUNDS, [*bounds(results)]), Sheet("Broken promises", BROKEN, [*broken(results)])],
        stories=shown,
    )


def told_case(case: Case) -> Shown:
    """Return a case to be stepped through."""
    story = story_of(case)
    return shown_case(case, story, written(case, story))


def bounds(results: Sequence[Checked]) -> Iterator[tuple[str, ...]]:
    """Yield what was explored."""
    for checked in results:
        for run in checked.runs:
            r = run.result
            counts = f"{r.states:,}", f"{r.transitions:,}", str(r.depth)
            yield checked.fence.name, told(run.bound, checked.settings), *counts, str(r.verdict)


def broken(results: Sequence[Checked]) -> Iterator[tuple[str, ...]]:
    """Yield what broke."""
    for checked in results:
        for name, (_, found) in checked.findings.items():
            yield checked.fence.name, name, str(found.faults), str(found.steps), found.why


def of_gallery(exhibits: Sequence[Exhibit], kept: Sequence[str], reproduce: str) -> Page:
    """Return the page of a gallery."""
    rows = [(e.fence, e.promise, *map(str, e.cost), e.case.finding.why) for e in exhibits]
    return Page(
        title="How fences fail",
        verdict=f"{len(exhibits)} stories",
        headline=f"of {len({e.fence for e in exhibits})} fences; nothing breaks in {', '.join(kept) or 'none of them'}",
        good=False,
        reproduce=reproduce,
        sheets=[Sheet("Broken promises", BROKEN, rows)],
        stories=[shown_case(e.case, e.story, trace_text(e.case)) for e in exhibits],
    )


def of_walk(checked: Checked, told_stories: Mapping[str, tuple[Case, Story]], headline: str, reproduce: str) -> Page:
    """Return the page of walks; they prove nothing, and the page says so."""
    return Page(
        title=checked.fence.name,
        verdict="no violation found" if checked.verdict == Verdict.HOLDS else str(checked.verdict),
        headline=headline,
        good=checked.verdict == Verdict.HOLDS,
        reproduce=reproduce,
        facts=[*facts(checked)],
        sheets=[Sheet("Broken promises", BROKEN, [*broken([checked])])],
        stories=[shown_case(case, story, written(case, story)) for case, story in told_stories.values()],
    )


def of_compared(answer: of_diff.Answer) -> Page:
    """Return the page of a comparison: where the answers part first, then what the new fence breaks."""
    compared, word = answer.compared, of_diff.WORDS[answer.compared.exit]
    stories = [told_case(case_of(compared.new, name)) for name in (*compared.lost, *compared.both)]
    return Page(
        title=f"{compared.old.fence.name} → {compared.new.fence.name}",
        verdict=word.lower(),
        headline=of_diff.headline(compared),
        good=compared.exit == 0,
        reproduce=answer.reproduce,
        sheets=[
            Sheet("Promises", ("", "promise", "old", "new", "what failed"), [*of_diff.costs(compared)]),
            Sheet("Bounds", BOUNDS, [*bounds([compared.old, compared.new])]),
        ],
        stories=[*parting(answer), *stories],
    )


def parting(answer: of_diff.Answer) -> Iterator[Shown]:
    """Yield the run on which the two fences first answer differently."""
    if answer.compared.parting:
        run = of_diff.told_parting(answer.compared, answer.compared.parting)
        yield Shown("difference", run.story, run.fence, build(run.fence, run.bound, run.settings), run.trace)


def of_story(story: Story, verdict: str, good: bool) -> Page:
    """Return the page of a single story, such as a log up to its divergence."""
    return Page(story.fence, verdict, story.title, good, "; ".join(story.reproduce), stories=[Shown("story", story)])
