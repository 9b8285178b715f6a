"""What `check` has to tell, and every format in which it is told."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from rich.table import Table

from fencebench.checker.analysis.check import Checked
from fencebench.checker.errors import BadInput
from fencebench.checker.report.ci import Report, report_of
from fencebench.checker.report.form import Format, table
from fencebench.checker.report.formats import as_github, as_junit, as_sarif
from fencebench.checker.report.stored import trace_text
from fencebench.checker.report.text import as_json, case_of, cheapest, laid_out, text_of
from fencebench.checker.search.result import Verdict
from fencebench.model.fences import EXPECTED


@dataclass(frozen=True)
class Answer:
    """The results of `check`.

    Attributes:
        reproduce: the command that gives this whole answer again.
        searched: the options that were given, less those that change nothing of what is found.
        property_: the promise whose story is wanted.
        every: whether the catalogue is compared with its expected verdicts.
        pictures: the folder in which each broken promise is drawn.

    """

    results: Sequence[Checked]
    verdict: Verdict
    exit: int
    reproduce: str
    searched: tuple[str, ...] = ()
    property_: str | None = None
    every: bool = False
    pictures: Path | None = None

    @cached_property
    def reports(self) -> list[Report]:
        """Each fence for a reviewer."""
        return [report_of(checked, checked.fence.name, self.pictures, self.searched) for checked in self.results]


def as_text(answer: Answer) -> str:
    """Write each fence, or of the catalogue what is as expected and what is not."""
    if answer.every:
        return summary(answer)
    return "".join(text_of(result, answer.property_, answer.reproduce) for result in answer.results)


def summary(answer: Answer) -> str:
    """Write every fence's verdict beside the expected one."""
    rows = Table("fence", "verdict", "expected", "broken promises", box=None, pad_edge=False, header_style="dim")
    for r in answer.results:
        expected = str(EXPECTED[r.fence.name].verdict)
        rows.add_row(r.fence.name, str(r.verdict), expected, ", ".join(r.findings) or "none")
    headline = "[bold green]AS EXPECTED[/]" if answer.exit == 0 else "[bold red]NOT AS EXPECTED[/]"
    return f"{laid_out(headline, rows)}\n\nreproduce: {answer.reproduce}\n"


def as_itf(answer: Answer) -> str:
    """Write the trace of the property, or of the cheapest story."""
    for result in answer.results:
        if result.findings and answer.property_ in (None, *result.findings):
            return trace_text(case_of(result, answer.property_ or cheapest(result)))
    raise BadInput("no promise is broken here, so there is no trace to write; --format json has the verdict")


def of_reports(write: Callable[[Sequence[Report]], str]) -> Callable[[Answer], str]:
    """Make a writer of reports one of answers."""
    return lambda answer: write(answer.reports)


def as_page(answer: Answer) -> str:
    """Write the page of the answer."""
    from fencebench.checker.report.html.page import as_html
    from fencebench.checker.report.html.pages import of_checked

    return as_html(of_checked(answer.results, answer.verdict, answer.reproduce))


FORMATS = table(
    Format("text", as_text, "for a person"),
    Format("json", lambda a: as_json([*a.results], a.exit, a.verdict) + "\n", "every run, for a program"),
    Format("itf", as_itf, "the trace of one broken promise"),
    Format("junit", of_reports(as_junit), "a test case a promise"),
    Format("sarif", of_reports(as_sarif), "code scanning"),
    Format("html", as_page, "a page to step through"),
    Format("github", of_reports(as_github), "annotations in a workflow"),
)
