"""Writes logs as histories of one client, and runs of the model as logs."""

import json
from collections.abc import Iterable
from typing import Any

import click
from click.testing import CliRunner

from fencebench.checker.cli.main import main
from fencebench.checker.oracle.drive.translate import Line, Source, opened, steps_told
from fencebench.model.machine import Transition


def command(*words: str, text: bytes | str | None = None) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command that reads this on standard input."""

    @click.command()
    def whole() -> None:
        raise SystemExit(main(list(words)))

    done = CliRunner().invoke(whole, [], input=text)
    return done.exit_code, done.stdout, done.stderr


ANSWER = ("outcome", "reason", "applied", "counted")


def as_history(lines: Iterable[str | bytes]) -> list[str]:
    """The same story told by one client that asks one thing after the other."""
    return [json.dumps(line) for text in lines for line in _called(json.loads(text))]


def _called(line: dict[str, Any]) -> list[dict[str, Any]]:
    if line["op"] == "run.open":
        return [line]
    answer = {name: line.pop(name) for name in ANSWER if name in line}
    word = answer.get("outcome")
    refused = word is not None and (word == "refused" or word.isupper())
    kind = "info" if word == "no_reply" else "fail" if refused else "ok"
    return [{"client": "x", "type": "invoke", **line}, {"client": "x", "type": kind, "t": line["t"], **answer}]


def logged(lines: Iterable[Line]) -> list[str]:
    """Lines as a log has them."""
    return [json.dumps(line.logged) for line in lines]


def by_step(source: Source, trace: Iterable[Transition]) -> tuple[list[Line], range]:
    """The log of a run, and the numbers of the lines that tell its last step that a log shows."""
    lines, last = [opened(source)], range(0)
    for told in steps_told(source, trace):
        if told.lines:
            last = range(len(lines) + 1, len(lines) + len(told.renewals) + len(told.lines) + 1)
        lines += (*told.renewals, *told.lines)
    return lines, last
