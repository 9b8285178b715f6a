"""The rooms of the code and what each may import: earlier rooms only, so there is no circle; `test_tidy` holds it."""

from dataclasses import dataclass

GROUND = ("checker/errors", "checker/files")
"""What every room of the checker may import besides."""


@dataclass(frozen=True)
class Room:
    """A folder, or a file by itself: what it holds, and the rooms and files of others that it may import."""

    holds: str
    imports: tuple[str, ...] = ()


ROOMS = {
    "model": Room(
        "the contract of a machine, the machines, rules, fences and promises; how they are composed and named"
    ),
    "checker/search": Room(
        "the plain explorer, uniform-cost search, progress on the graph, lockstep, replay; what a result is",
        ("model/machine",),
    ),
    "checker/tables": Room(
        "a machine as tables of numbers: what `fast`, `reduce`, `walk` share; what a claim reads is as in `search`",
        ("model/machine", "checker/search/properties"),
    ),
    "checker/fast": Room(
        "the fast explorer; of the plain one it shares what a result is, and no search",
        (
            "model/machine",
            "checker/search/coverage",
            "checker/search/progress",
            "checker/search/properties",
            "checker/search/result",
            "checker/search/limits",
            "checker/tables",
        ),
    ),
    "checker/reduce": Room(
        "shards made small by bisimulation, and the way back from their stories",
        ("model/machine", "model/local_view", "checker/search", "checker/tables"),
    ),
    "checker/walk": Room(
        "random walks by hypothesis, shrunk and minimised; the acceptance rule",
        ("model", "checker/search", "checker/tables"),
    ),
    "checker/analysis": Room(
        "questions about fences: check, difference, knock-out, sweeps; functions that return values and print nothing",
        ("model", "checker/search", "checker/tables", "checker/fast", "checker/reduce", "checker/walk"),
    ),
    "checker/expect": Room(
        "what a fence costs: laws of tokens and time, from one attempt of the machines and the rates of faults",
        ("model",),
    ),
    "checker/report": Room(
        "results told: text, pictures, traces, formats for other programs, the gallery",
        ("model", "checker/search", "checker/walk", "checker/analysis", "checker/expect"),
    ),
    "checker/explorer": Room(
        "a local page on which a person steps through a model",
        ("model", "checker/search", "checker/analysis", "checker/report"),
    ),
    "checker/oracle": Room(
        "judges logs, histories, answers and rows of other implementations",
        ("model", "checker/search"),
    ),
    "checker/answered": Room(
        "boundaries that somebody else answers: questions as rows, functions, databases, processes",
        ("model", "checker/search", "checker/fast/explore", "checker/oracle/drive/process"),
    ),
    "checker/api": Room(
        "what `from fencebench import …` gives",
        ("model", "checker/search", "checker/analysis", "checker/report", "checker/oracle"),
    ),
    "checker/pytest_plugin": Room("the story of a fence that does not hold, in the report of a failed test"),
    "checker/cli": Room("the command line, one file a verb: the only room that prints", ("model", "checker")),
}

STANDING = {
    ("checker/oracle/replay/story.py", "checker/report/story"),
}
"""Arrows that the table forbids and the code still has: to be mended, one by one, until this is empty and goes."""

PRINTING = {"checker/report/text.py"}
"""Files outside the command line that still print: to be mended as well."""
