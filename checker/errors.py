"""What can end a command, and the exit code of each end; only the command line prints."""

HOLDS, VIOLATED, BAD_INPUT, UNDETERMINED, VACUOUS = range(5)
"""Exit codes of an answer, and of input that cannot be used."""

BROKEN = 70
"""Exit code when the bench itself fails: an error of its own, or an output that cannot be written."""

CLOSED = 141
"""Exit code when the reader of the output has gone away, as of any program that a closed pipe ends."""


class BadInput(Exception):
    """What a person gave cannot be used; the message is the one line to show."""
