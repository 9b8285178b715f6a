"""Bad input: one line that says what was expected and what to do. Only the command line prints it."""


class BadInput(Exception):
    """What a person gave cannot be used; the message is the one line to show."""
