"""Rewrites what the README shows of the program: `python -m tests.write_readme`."""

import contextlib
import io
import os
import sys
import tempfile
from pathlib import Path

from tests.readme import CONSOLE, README, commands, main, python_files, with_table, words


def printed(command: str) -> str:
    """Run a command in this folder and return what it prints, or write it where the command says."""
    arguments, target = words(command)
    sys.argv = ["fencebench", *arguments]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        main(arguments)
    if target:
        Path(target).write_text(out.getvalue(), encoding="utf-8")
        return ""
    return out.getvalue()


def rewritten(text: str) -> str:
    """Return the README with every console block as the program prints it now."""
    return CONSOLE.sub(
        lambda m: "```console\n" + "".join(f"$ {c}\n{printed(c)}" for c in commands(m.group(1))) + "```", text
    )


if __name__ == "__main__":
    text = with_table(README.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, body in python_files(text).items():
            Path(name).write_text(body, encoding="utf-8")
        README.write_text(rewritten(text), encoding="utf-8")
