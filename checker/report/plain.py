"""JUnit, GitHub annotations and Markdown of an outcome that has one line for each thing judged."""

from dataclasses import dataclass
from xml.etree import ElementTree as Xml

from fencebench.checker.report.ci import Place
from fencebench.checker.report.formats import count, escaped
from fencebench.checker.report.picture import as_text
from fencebench.checker.report.story import Story

MARKUP = "\\`*_[]|~#"
"""Signs to which Markdown gives a meaning."""


@dataclass(frozen=True)
class Line:
    """A thing that was judged: its name, what became of it, and why."""

    name: str
    kind: str
    why: str


@dataclass(frozen=True)
class Outcome:
    """The answer of a verb for a pull request.

    Attributes:
        lines: what is worth a line each; those of a kind in `failing` fail.
        kept: names that are well and have nothing to tell.
        story: a run to show, if there is one.
        place: where the fence is defined.

    """

    title: str
    sentence: str
    passed: bool
    lines: tuple[Line, ...]
    reproduce: str
    kept: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    story: Story | None = None
    place: Place | None = None

    @property
    def failed(self) -> tuple[Line, ...]:
        """The lines that fail."""
        return tuple(line for line in self.lines if line.kind in self.failing)


def as_junit(outcome: Outcome) -> str:
    """Write a suite with a case for each thing judged; `decided` is an error where no line says why it is no pass."""
    root = Xml.Element("testsuites", name="fencebench")
    suite = Xml.SubElement(root, "testsuite", name=outcome.title)
    for name in (*(line.name for line in outcome.lines), *outcome.kept, "decided"):
        Xml.SubElement(suite, "testcase", classname=outcome.title, name=name)
    for line, item in zip(outcome.lines, suite, strict=False):
        if line in outcome.failed:
            Xml.SubElement(item, "failure", message=f"{line.kind}: {line.why}").text = outcome.reproduce
    if not outcome.passed and not outcome.failed:
        Xml.SubElement(suite[-1], "error", message=outcome.sentence).text = outcome.reproduce
    for element in (suite, root):
        count(element, list(suite))
    Xml.indent(root)
    return f"<?xml version='1.0' encoding='utf-8'?>\n{Xml.tostring(root, encoding='unicode')!s}\n"


def as_github(outcome: Outcome) -> str:
    """Write one annotation on the line that defines the fence."""
    place = [("file", outcome.place.file), ("line", str(outcome.place.line))] if outcome.place else []
    told = [f"{line.kind}: {line.name}: {line.why}" for line in outcome.failed]
    properties = ",".join(f"{name}={escaped(value, ':,')}" for name, value in [*place, ("title", outcome.title)])
    text = escaped("\n".join([outcome.sentence, *told, f"reproduce: {outcome.reproduce}"]))
    return f"::{'notice' if outcome.passed else 'error'} {properties}::{text}\n"


def as_markdown(outcome: Outcome) -> str:
    """Write a comment: the answer, a table, the run folded away, the command."""
    lines = [f"### {'✅' if outcome.passed else '❌'} {marked(outcome.title)}", "", marked(outcome.sentence), ""]
    if outcome.lines:
        lines += ["| what | which | why |", "|---|---|---|"]
        lines += [f"| {marked(one.kind)} | {marked(one.name)} | {marked(one.why)} |" for one in outcome.lines]
        lines += [""]
    if outcome.story:
        lines += [f"<details><summary>{marked(outcome.story.title)}</summary>", "", fenced(as_text(outcome.story)), ""]
        lines += ["</details>", ""]
    return "\n".join([*lines, fenced(outcome.reproduce, "sh"), ""])


def fenced(text: str, language: str = "text") -> str:
    """Write a block as it stands; its fence is longer than any in it."""
    fence = "`" * 3
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def marked(text: str) -> str:
    """Write a text so that Markdown reads nothing into it."""
    kept = "".join(f"\\{sign}" if sign in MARKUP else sign for sign in text.replace("&", "&amp;"))
    return " ".join(kept.replace("<", "&lt;").replace(">", "&gt;").replace("@", "&#64;").split())
