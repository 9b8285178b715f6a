"""Where a fence stands in a file, so that a pull request can carry its verdict as an annotation."""

import ast
import importlib
import pkgutil
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fencebench.checker.analysis.bounds import as_options
from fencebench.checker.analysis.check import Checked
from fencebench.checker.analysis.variants import SUFFIX
from fencebench.checker.files import artifact, write_whole
from fencebench.checker.report.case import story_of
from fencebench.checker.report.story import Story
from fencebench.checker.report.text import case_of, stop_advice
from fencebench.checker.search.result import Verdict
from fencebench.model import fences
from fencebench.model.fence import Fence
from fencebench.model.fences import FENCES
from fencebench.model.promises.catalogue import names_of


@dataclass(frozen=True)
class Place:
    """A file, relative to where the command runs if it lies below, and a line counted from 1."""

    file: str
    line: int


def place_of(name: str) -> Place | None:
    """Return where the fence of this name or `path/to/file.py:NAME` is defined; a variant is where its base is."""
    base = SUFFIX.split(name)[0]
    if ":" in base:
        path, _, attribute = base.rpartition(":")
        return placed(Path(path), attribute)
    fence = FENCES.get(base.lower())
    return catalogued(fence) if fence else None


def catalogued(fence: Fence) -> Place | None:
    """Return where the catalogue defines a fence: the module that assigns it."""
    for info in pkgutil.iter_modules(fences.__path__):
        module = importlib.import_module(f"{fences.__name__}.{info.name}")
        for attribute, value in vars(module).items():
            if value is fence and module.__file__ and (place := placed(Path(module.__file__), attribute)):
                return place
    return None


def placed(path: Path, attribute: str) -> Place | None:
    """Return the line that assigns a name at the top of a file, or None."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, UnicodeDecodeError):
        return None
    lines = [node.lineno for node in tree.body if attribute in assigned(node)]
    return Place(near(path), lines[-1]) if lines else None


def assigned(node: ast.stmt) -> list[str]:
    """Return the names that a statement assigns."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def near(path: Path) -> str:
    """Write a path relative to the working folder where it lies below, with forward slashes."""
    whole, here = path.resolve(), Path.cwd().resolve()
    return (whole.relative_to(here) if whole.is_relative_to(here) else path).as_posix()


GALLERY = "counterexamples"


@dataclass(frozen=True)
class Lost:
    """A broken promise: its story, the command that finds it again, the place of its picture ("" if none is kept)."""

    name: str
    faults: int
    steps: int
    why: str
    story: Story
    picture: str
    reproduce: str
    rules: tuple[Place | None, ...] = ()

    @property
    def sentence(self) -> str:
        """Say what broke, how many faults and steps it took, and where to look."""
        taken = f"{self.faults} fault{'s' * (self.faults != 1)}, {self.steps} step{'s' * (self.steps != 1)}"
        return f"{self.name} is lost ({taken}): {self.why}. {self.look}"

    @property
    def look(self) -> str:
        """Say where the picture is, or how to get it."""
        draw = f"{self.reproduce} --format itf > story.itf.json; fencebench render story.itf.json"
        return f"Picture: {self.picture}" if self.picture else f"Draw it: {draw}"


@dataclass(frozen=True)
class Report:
    """A fence's verdict for a reviewer: where it is defined, what it lost, why it is no pass otherwise."""

    checked: Checked
    name: str
    place: Place | None
    lost: tuple[Lost, ...]
    searched: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The verdict over all bounds."""
        return self.checked.verdict

    @property
    def reproduce(self) -> str:
        """The command that checks this fence again, with every option that it was checked with."""
        bounds = [run.bound for run in self.checked.runs]
        one = as_options(bounds[0], self.checked.settings).split() if len(bounds) == 1 else []
        return shlex.join(["fencebench", "check", self.name, *(self.searched or one)])

    @property
    def summary(self) -> str:
        """Say in one line what the verdict rests on."""
        if self.lost:
            return f"{len(self.lost)} promise{'s' * (len(self.lost) > 1)} lost: {', '.join(x.name for x in self.lost)}"
        if self.verdict == Verdict.UNDETERMINED and self.checked.limit:
            return f"nothing is proven, as it stopped: {stop_advice(self.checked.limit)}"
        if self.verdict == Verdict.VACUOUS:
            return f"never reached: {'; '.join(unreached(self.checked))}"
        return f"every promise is kept up to the bounds ({sum(r.result.states for r in self.checked.runs):,} states)"

    def state_of(self, promise: str) -> Literal["holds", "violated", "undetermined"]:
        """Say what is known of a promise; after any early stop only a violation is."""
        if any(lost.name == promise for lost in self.lost):
            return "violated"
        stopped_early = any(run.result.limit for run in self.checked.runs)
        return "undetermined" if stopped_early or promise in self.checked.unjudged else "holds"


def unreached(checked: Checked) -> Iterator[str]:
    """Yield what was owed and not reached, with the bound to raise."""
    for debt in checked.unreached:
        yield f"{debt.kind} {debt.name}{f' ({debt.advice})' if debt.advice else ''}"


def report_of(checked: Checked, name: str, pictures: Path | None, searched: tuple[str, ...] = ()) -> Report:
    """Make the report of a fence that was called `name` and searched with these options on the command line."""
    lost = tuple(
        lost_promise(checked, name, promise, pictures)
        for promise in names_of(checked.fence)
        if promise in checked.findings
    )
    return Report(checked, name, place_of(name), lost, searched)


def lost_promise(checked: Checked, name: str, promise: str, pictures: Path | None) -> Lost:
    """Tell a broken promise."""
    (run, found), story = checked.findings[promise], story_of(case_of(checked, promise))
    options = as_options(run.bound, checked.settings)
    reproduce = f"fencebench check {shlex.quote(name)} {options} --property {promise}"
    place = kept_picture(checked.fence.name, promise, pictures)
    rules = tuple(place_of_rule(checked.fence, step.event.rule) for step in found.trace)
    return Lost(promise, found.faults, found.steps, found.why, story, place, reproduce, rules)


def place_of_rule(fence: Fence, name: str) -> Place | None:
    """Return where the function of a rule is defined."""
    code = next((getattr(rule.applies, "__code__", None) for full, rule in fence.rules() if full == name), None)
    return Place(near(Path(code.co_filename)), code.co_firstlineno) if code else None


def kept_picture(fence: str, promise: str, pictures: Path | None) -> str:
    """Return the place of a picture: in the folder asked for, else in the gallery if it has one, else nowhere."""
    if pictures:
        return picture_path(pictures, fence, promise).as_posix()
    place = f"{GALLERY}/{fence}/{promise}.svg"
    return place if Path(place).is_file() else ""


def picture_path(folder: Path, fence: str, promise: str) -> Path:
    """Return where the picture of a broken promise is kept."""
    return artifact(folder, fence, promise, ".svg")


def save_pictures(reports: list[Report], folder: Path) -> None:
    """Draw every lost promise into the folder."""
    from fencebench.checker.report.picture import as_svg

    for report in reports:
        for lost in report.lost:
            write_whole(picture_path(folder, report.checked.fence.name, lost.name), as_svg(lost.story))
