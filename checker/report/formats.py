"""JUnit, SARIF and GitHub annotations of checked fences: one text for a program that shows it in a pull request."""

import json
from collections.abc import Sequence
from importlib.metadata import version
from importlib.resources import files
from itertools import zip_longest
from os.path import relpath
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as Xml

from fencebench.checker.report.ci import Lost, Place, Report
from fencebench.checker.report.picture import as_text
from fencebench.checker.report.story import StoryStep
from fencebench.checker.search.result import Verdict
from fencebench.model.promises.catalogue import names_of, promises_of
from fencebench.model.promises.promise import Promise

SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
ABOUT = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html"
"""Where a reader learns what such a log is."""

OWED = "reaches what it owes"


def as_junit(reports: Sequence[Report]) -> str:
    """Write a suite for each fence and a case for each promise; what a limit left open is an error, never a pass."""
    root = Xml.Element("testsuites", name="fencebench")
    for report in reports:
        add_suite(root, report)
    count(root, list(root.iter("testcase")))
    Xml.indent(root)
    return f"<?xml version='1.0' encoding='utf-8'?>\n{Xml.tostring(root, encoding='unicode')!s}\n"


def add_suite(root: Xml.Element, report: Report) -> None:
    """Add a fence."""
    seconds = sum(run.result.seconds for run in report.checked.runs)
    suite = Xml.SubElement(root, "testsuite", name=report.checked.fence.name, time=f"{seconds:.3f}")
    for promise in names_of(report.checked.fence):
        add_case(suite, report, promise)
    owed = case(suite, report, OWED)
    if report.verdict == Verdict.VACUOUS:
        say(owed, "failure", "vacuous", report.summary, report.reproduce)
    elif report.verdict != Verdict.HOLDS:
        say(owed, "skipped", "", f"not asked of a search that is {report.verdict}", "")
    count(suite, list(suite))


def case(suite: Xml.Element, report: Report, name: str) -> Xml.Element:
    """Add a test case; the place of the fence is its file and line."""
    about = {"classname": report.checked.fence.name, "name": name}
    where = {"file": report.place.file, "line": str(report.place.line)} if report.place else {}
    return Xml.SubElement(suite, "testcase", {**about, **where})


def add_case(suite: Xml.Element, report: Report, promise: str) -> None:
    """Add a promise."""
    item, state = case(suite, report, promise), report.state_of(promise)
    if state == "violated":
        [lost] = [lost for lost in report.lost if lost.name == promise]
        told = f"{as_text(lost.story, ascii_only=True)}\n{lost.look}\nreproduce: {lost.reproduce}"
        say(item, "failure", "violated", lost.sentence, told)
    elif state == "undetermined" and report.lost:
        say(item, "skipped", "", "undetermined: the search stopped at a violation of another promise", "")
    elif state == "undetermined":
        say(item, "error", "undetermined", report.summary, report.reproduce)


def say(item: Xml.Element, tag: str, kind: str, message: str, text: str) -> None:
    """Add the outcome of a case that is no plain pass."""
    Xml.SubElement(item, tag, {"message": message, **({"type": kind} if kind else {})}).text = text or None


def count(element: Xml.Element, cases: list[Xml.Element]) -> None:
    """Write the numbers that a suite carries."""
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(name, str(sum(1 for item in cases if item.find(tag) is not None)))
    element.set("tests", str(len(cases)))


def as_sarif(reports: Sequence[Report]) -> str:
    """Write a SARIF 2.1.0 log: a rule for each promise, a result for each one lost, the story as a code flow."""
    results = [result for report in reports for result in sarif_results(report)]
    used = list(dict.fromkeys(result["ruleId"] for result in results))
    for result in results:
        result["ruleIndex"] = used.index(result["ruleId"])
    driver = {
        "name": "fencebench",
        "semanticVersion": version("fencebench"),
        "informationUri": ABOUT,
        "rules": [sarif_rule(reports, name) for name in used],
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": SARIF, "version": "2.1.0", "runs": [run]}, indent=1, ensure_ascii=False) + "\n"


VERDICTS = {
    "undetermined": Promise(
        name="undetermined",
        sentence="The search was stopped by a limit.",
        failure="Nothing is proven, and nothing was found.",
        question="Raise the limit, or lower a bound.",
    ),
    "vacuous": Promise(
        name="vacuous",
        sentence="Something owed was never reached.",
        failure="A run that never comes to what it should have tried proves nothing about it.",
        question="Raise the bound that the message names.",
    ),
}
"""What a result is about that is no broken promise."""


def sarif_rule(reports: Sequence[Report], name: str) -> dict[str, Any]:
    """Describe a rule: the sentence of a promise or of a kind of verdict, what goes wrong, what to ask."""
    known = {p.name: p for report in reports for p in promises_of(report.checked.fence)} | VERDICTS
    about = known[name]
    help_ = f"{about.failure} {about.question}".strip()
    return {
        "id": name,
        "shortDescription": {"text": sentence(about.title or about.sentence)},
        "fullDescription": {"text": sentence(about.sentence)},
        "help": {"text": help_, "markdown": f"{help_}\n\nReplay it: `fencebench replay TRACE`."},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["correctness"], "problem.severity": "error", "precision": "very-high"},
    }


def sentence(text: str) -> str:
    """End a text as a sentence."""
    return f"{text.rstrip('.')}."


def sarif_results(report: Report) -> list[dict[str, Any]]:
    """Return the results of a fence: one for each lost promise, or one that says why it is no pass."""
    if report.lost:
        return [sarif_lost(report, lost) for lost in report.lost]
    if report.verdict == Verdict.HOLDS:
        return []
    return [sarif_result(report, str(report.verdict), f"{report.name}: {report.summary}. {report.reproduce}")]


def sarif_lost(report: Report, lost: Lost) -> dict[str, Any]:
    """Write a lost promise."""
    message = f"{report.name} is {report.verdict}: {lost.sentence}\nReproduce: {lost.reproduce}"
    flow = [{"location": sarif_step(report, step, where)} for step, where in zip_longest(lost.story.steps, lost.rules)]
    return {
        **sarif_result(report, lost.name, message),
        "codeFlows": [{"threadFlows": [{"locations": flow}]}],
        "properties": {"faults": lost.faults, "steps": lost.steps, "picture": lost.picture, "rule": lost.story.rule},
    }


def sarif_step(report: Report, step: StoryStep, rule: Place | None) -> dict[str, Any]:
    """Write a step where its answer comes from: the rule that refused, else the fence."""
    place = rule or report.place
    location: dict[str, Any] = {"message": {"text": step_text(step)}}
    return location | ({"physicalLocation": sarif_place(place)} if place else {})


def sarif_place(place: Place) -> dict[str, Any]:
    """Write a line of a file as a relative URI."""
    return {"artifactLocation": {"uri": relative_uri(place.file)}, "region": {"startLine": place.line}}


def relative_uri(path: str) -> str:
    """Write a path as a relative URI: a file of the bench from its root, one elsewhere from the working folder."""
    parts = Path(path).parts
    if Path(path).is_absolute():
        root = Path(files("fencebench").joinpath("")).resolve().parent  # type: ignore[arg-type]
        whole = Path(path).resolve()
        parts = whole.relative_to(root).parts if whole.is_relative_to(root) else Path(relpath(path)).parts
    return "/".join(quote(part, safe="") for part in parts)


def sarif_result(report: Report, rule: str, message: str) -> dict[str, Any]:
    """Write what every result has."""
    result: dict[str, Any] = {"ruleId": rule, "level": "error", "message": {"text": message}}
    result["partialFingerprints"] = {"fenceAndPromise/v1": fingerprint(report, rule)}
    if report.place:
        result["locations"] = [{"physicalLocation": sarif_place(report.place)}]
    return result


def fingerprint(report: Report, rule: str) -> str:
    """Name a finding the same on every machine: the file from where it is checked, the fence, the promise."""
    name = report.name.rpartition(":")[2]
    return f"{relative_uri(report.place.file) if report.place else ''}:{name}/{rule}"


def step_text(step: StoryStep) -> str:
    """Write a step in one line."""
    struck = f"fault {step.fault}: " if step.fault else ""
    return f"{step.number}. {struck}{step.label}{f' = {step.answer}' if step.answer else ''}"


def as_github(reports: Sequence[Report]) -> str:
    """Write one workflow command for each fence; GitHub shows ten of a kind for each step, so promises share one."""
    return "".join(github(report) + "\n" for report in reports)


def github(report: Report) -> str:
    """Write the annotation of a fence."""
    level = "notice" if report.verdict == Verdict.HOLDS else "error"
    place = [("file", report.place.file), ("line", str(report.place.line))] if report.place else []
    where = [*place, ("title", f"fence {report.name}: {report.verdict}")]
    lines = [report.summary, *(lost.sentence for lost in report.lost), f"reproduce: {report.reproduce}"]
    properties = ",".join(f"{name}={escaped(value, ':,')}" for name, value in where)
    return f"::{level} {properties}::{escaped(chr(10).join(lines))}"


def escaped(text: str, more: str = "") -> str:
    """Escape what a workflow command gives a meaning: percent, line ends, and in properties colon and comma."""
    for sign in ("%", "\r", "\n", *more):
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text
