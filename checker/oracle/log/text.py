"""Text that comes from a log, made safe for a terminal."""


def printable(text: str) -> str:
    """The text with every sign that is no printable one escaped; lines stay lines."""
    if text.isprintable():
        return text
    return "".join(sign if sign == "\n" or sign.isprintable() else _escaped(sign) for sign in text)


def _escaped(sign: str) -> str:
    code = ord(sign)
    return f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}"
