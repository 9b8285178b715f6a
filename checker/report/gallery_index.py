"""The gallery's index: a catalogue of how fences fail, to be read from the top or looked up by fence."""

from collections.abc import Iterator, Sequence

from fencebench.checker.report.gallery import MARK, Exhibit
from fencebench.model.promises.catalogue import promises_of
from fencebench.model.promises.promise import GROUPS, Promise

INTRODUCTION = """\
# How fences fail

A fence is the set of checks that keeps a late, repeated or resurrected attempt from corrupting a result or a bill.
Below are {stories} ways in which {fences} of them fail, found by trying every interleaving up to a bound. Each story is
the shortest there is: no run with fewer faults breaks that promise, and none with as many faults in fewer steps.

A picture reads downwards: one lifeline for each machine, faults in amber, the step that breaks the promise in red, the
bar beside a worker is its lease on the driver's clock (left) and on its own (right). *Stopped by* names what the
`reference` fence has and this one lacks. Each failure mode shows one story with the fewest faults; its table has all.
"""

Shown = Sequence[Exhibit]


def index(shown: Shown, kept: Sequence[str]) -> str:
    """Write the whole page; `kept` are fences that were checked and break nothing."""
    fences = len({exhibit.fence for exhibit in shown})
    parts = [MARK, "", INTRODUCTION.format(stories=len(shown), fences=fences), *contents(shown), *by_fence(shown, kept)]
    for group in GROUPS:
        inside = broken(shown, group)
        parts += [f"## {group}\n"] if inside else []
        parts += [line for promise in inside for line in entry(promise, of_promise(shown, promise))]
    return "\n".join([*parts, *footer()])


def broken(shown: Shown, group: str) -> list[Promise]:
    """Return the promises of a group that some story breaks, in the order of the catalogue."""
    known = {promise.name: promise for exhibit in shown for promise in promises_of(exhibit.case.fence)}
    return [promise for promise in known.values() if promise.group == group and of_promise(shown, promise)]


def of_promise(shown: Shown, promise: Promise) -> list[Exhibit]:
    """Return the stories of a promise, fewest faults first; what nobody forged is told before what somebody did."""
    return sorted(
        (e for e in shown if e.promise == promise.name), key=lambda e: (e.cost[0], forged(e), e.cost[1], e.fence)
    )


def forged(exhibit: Exhibit) -> bool:
    """Say whether the story needs a commit that no worker sent."""
    return any(step.fault == "forge" for step in exhibit.story.steps)


def anchor(promise: Promise) -> str:
    """Return the place of a failure mode on the page; set by hand, so that no renderer has a say."""
    return promise.name.replace("_", "-")


def contents(shown: Shown) -> Iterator[str]:
    """List the failure modes by group."""
    yield "## Contents\n"
    for group in GROUPS:
        inside = broken(shown, group)
        if inside:
            yield f"- **{group}**"
            yield from (f"  - [{promise.title}](#{anchor(promise)})" for promise in inside)
    yield ""


def by_fence(shown: Shown, kept: Sequence[str]) -> Iterator[str]:
    """Tabulate the fences with the failure modes that each of them has."""
    yield "## By fence\n"
    yield "| fence | what it is | how it fails |"
    yield "|---|---|---|"
    for fence in dict.fromkeys(e.fence for e in shown):
        mine = [e for e in shown if e.fence == fence]
        links = ", ".join(f"[{e.promise}]({e.stem}.svg)" for e in mine)
        yield f"| `{fence}` | {cell(mine[0].case.fence.summary)} | {links} |"
    names = ", ".join(f"`{name}`" for name in kept)
    yield f"\nNothing breaks, up to the bounds, in {names}.\n" if kept else ""


def cell(text: str) -> str:
    """Write a text so that a table takes it."""
    return text.replace("|", "\\|").replace("\n", " ")


def entry(promise: Promise, found: list[Exhibit]) -> Iterator[str]:
    """Tell one failure mode: heading, plain words, the cheapest story with its picture, a table of all."""
    first = found[0]
    yield f'<a id="{anchor(promise)}"></a>\n\n### {promise.title}\n'
    yield from plain_words(promise)
    yield f"It takes {cost(first)} in `{first.fence}`. {first.story.why}\n"
    yield f"[![{promise.title}: {first.fence}, {cost(first)}]({first.stem}.svg)]({first.stem}.svg)\n"
    yield f"```sh\n{first.case.reproduce}\nfencebench replay counterexamples/{first.stem}.itf.json\n```\n"
    yield "| fence | faults | steps | what broke | stopped by | look, read, replay |"
    yield "|---|--:|--:|---|---|---|"
    yield from (row(exhibit) for exhibit in found)
    yield ""


def plain_words(promise: Promise) -> Iterator[str]:
    """Say what goes wrong, what was promised, and what to ask."""
    yield f"{promise.failure}\n"
    yield f"- *Promise* (`{promise.name}`): {promise.sentence}"
    yield f"- *Ask of your fence*: {promise.question}\n"


def cost(exhibit: Exhibit) -> str:
    """Write faults, by name, and steps."""
    struck = [step.fault for step in exhibit.story.steps if step.fault]
    faults, steps = exhibit.cost
    names = f" ({', '.join(struck)})" if struck else ""
    return f"{faults} fault{'s' * (faults != 1)}{names} and {steps} steps"


def row(exhibit: Exhibit) -> str:
    """Write a story as a row of its failure mode's table."""
    stem, (faults, steps) = exhibit.stem, exhibit.cost
    links = f"[picture]({stem}.svg), [text]({stem}.txt), [trace]({stem}.itf.json)"
    cells = (exhibit.fence, str(faults), str(steps), cell(exhibit.case.finding.why), stopper(exhibit), links)
    return f"| {' | '.join(cells)} |"


def stopper(exhibit: Exhibit) -> str:
    """Name the rule that would have stopped the story; no single one is a dash."""
    name, colon, _ = exhibit.story.rule.partition(": ")
    return f"`{name}`" if colon else "more than one rule"


def footer() -> Iterator[str]:
    """Say how all this was made."""
    yield "## How this was made\n"
    yield "`fencebench gallery` wrote every file in this folder and removes what no story owns any more. `dot.sha256`"
    yield "has the digest of each picture's DOT. Draw a trace again with `fencebench render TRACE`; see if it still"
    yield "breaks its promise with `fencebench replay TRACE`, and on another fence with `--fence NAME`.\n"
