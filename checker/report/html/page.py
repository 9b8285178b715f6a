"""The page: what a verb has to tell, the verdict first, then the stories, packed, and the program that unpacks them."""

import base64
import hashlib
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from fencebench.checker.report.html.stories import Shown, record

HERE = "fencebench.checker.report.html"


@dataclass(frozen=True)
class Sheet:
    """A table of the page: its title, the names of its columns, its rows."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Drawing:
    """A picture of the page: what it shows, in words, and its SVG."""

    title: str
    svg: bytes

    @property
    def source(self) -> str:
        """The picture as a data address."""
        return f"data:image/svg+xml;base64,{base64.b64encode(self.svg).decode()}"


@dataclass(frozen=True)
class Page:
    """What a verb has to tell.

    Attributes:
        verdict: one word.
        headline: what that means, in one line.
        good: whether it is a pass.
        facts: name and text, in the order of what a reader asks first.
        drawings: pictures that nobody steps through.
        stories: what can be stepped through.
        reproduce: the command that gives this again.

    """

    title: str
    verdict: str
    headline: str
    good: bool
    reproduce: str
    facts: Sequence[tuple[str, str]] = ()
    sheets: Sequence[Sheet] = ()
    stories: Sequence[Shown] = ()
    drawings: Sequence[Drawing] = ()


def as_html(page: Page) -> str:
    """Write the page: one file with a policy that lets nothing run or load but what stands in it."""
    style, program = resource_of(HERE, "page.css"), resource_of(HERE, "page.js")
    policy = f"default-src 'none'; script-src {digest(program)}; style-src {digest(style)}; img-src data:"
    return (
        environment_of(HERE)
        .get_template("page.html")
        .render(
            page=page,
            policy=f"{policy}; base-uri 'none'; form-action 'none'",
            style=Markup(style),
            program=Markup(program),
            packed=[packed(shown) for shown in page.stories],
            version=version("fencebench"),
        )
    )


def packed(shown: Shown) -> str:
    """Return a story as JSON, compressed (raw deflate) and in base64: a browser unpacks it when it is looked at."""
    text = json.dumps(record(shown), ensure_ascii=False, separators=(",", ":"))
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(squeeze.compress(text.encode()) + squeeze.flush()).decode()


def resource_of(package: str, name: str) -> str:
    """Return a file of a package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def digest(text: str) -> str:
    """Name a text in a content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def environment_of(package: str) -> Environment:
    """Return a package's templates; whatever they are given is escaped, and a name that is not given is an error."""
    return Environment(
        loader=FunctionLoader(partial(resource_of, package)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
