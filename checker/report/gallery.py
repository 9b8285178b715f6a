"""The gallery: one minimal story for each fence and promise that fails, and an index to read them by.

All of it is made in memory first; then each file is written whole, and what no story owns any more is removed.
DOT is not kept (it is as long as the picture); its digest is, so that a change of the drawing is seen.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from fencebench.checker.analysis.case import Case
from fencebench.checker.analysis.check import Checked
from fencebench.checker.errors import BadInput
from fencebench.checker.files import write_whole
from fencebench.checker.report.case import story_of
from fencebench.checker.report.picture import as_dot, as_svg, as_text
from fencebench.checker.report.stored import trace_text
from fencebench.checker.report.story import Story
from fencebench.checker.report.text import case_of
from fencebench.model.promises.catalogue import names_of

INDEX, DIGESTS = "README.md", "dot.sha256"
MARK = "<!-- Written by `fencebench gallery`. Do not edit: the next one replaces every file here. -->"
ENDINGS = (".svg", ".txt", ".itf.json")


@dataclass(frozen=True)
class Exhibit:
    """A story of the gallery: its case, its telling, and its files below the gallery (name without ending)."""

    case: Case
    story: Story

    @property
    def fence(self) -> str:
        """The fence that fails."""
        return self.case.fence.name

    @property
    def promise(self) -> str:
        """The promise that it breaks."""
        return self.case.finding.property

    @property
    def stem(self) -> str:
        """Where its files are, without their ending."""
        return f"{self.fence}/{self.promise}"

    @property
    def cost(self) -> tuple[int, int]:
        """Fewest faults first, then fewest steps."""
        return self.case.finding.faults, self.case.finding.steps

    def texts(self) -> dict[str, str]:
        """Return the files that are compared byte by byte."""
        return {f"{self.stem}.txt": as_text(self.story) + "\n", f"{self.stem}.itf.json": trace_text(self.case)}

    def digest(self) -> str:
        """Return the line of the digests file for its DOT."""
        return f"{sha256(as_dot(self.story).encode()).hexdigest()}  {self.stem}.dot\n"


def exhibits(checked: Checked) -> Iterator[Exhibit]:
    """Yield a story for each promise that the fence breaks, in the order of the promises."""
    for promise in names_of(checked.fence):
        if promise in checked.findings:
            case = case_of(checked, promise)
            yield Exhibit(case, story_of(case))


def files(shown: Iterable[Exhibit], index: str) -> dict[str, bytes]:
    """Return every file of the gallery by its path."""
    made, digests = {INDEX: index.encode()}, ""
    for exhibit in shown:
        made |= {path: text.encode() for path, text in exhibit.texts().items()}
        made[f"{exhibit.stem}.svg"] = as_svg(exhibit.story)
        digests += exhibit.digest()
    return {**made, DIGESTS: digests.encode()}


def usable(folder: Path) -> None:
    """Refuse a folder that holds something else than a gallery.

    Raises:
        BadInput: the folder is a file, or has files and no index that we wrote.
    """
    if folder.is_dir() and any(folder.iterdir()) and not is_gallery(folder):
        raise BadInput(f"{folder}: has files and is no gallery; name an empty folder, or one that gallery has written")
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder}: is a file; name a folder for the gallery")


def is_gallery(folder: Path) -> bool:
    """Say whether we wrote the folder's index."""
    index = folder / INDEX
    return index.is_file() and index.read_text(encoding="utf-8", errors="replace").startswith(MARK)


def write(folder: Path, made: Mapping[str, bytes]) -> list[str]:
    """Write the files, the index last, and remove stale ones; return what was removed."""
    usable(folder)
    for path in sorted(made, key=lambda path: (path == INDEX, path)):
        write_whole(folder / path, made[path])
    return removed(folder, made)


def removed(folder: Path, made: Mapping[str, bytes]) -> list[str]:
    """Remove stories that are not of this gallery, and the folders that they leave empty; return their paths."""
    found = (path for path in sorted(folder.glob("*/*")) if path.name.endswith(ENDINGS))
    stale = [path for path in found if path.relative_to(folder).as_posix() not in made]
    for path in stale:
        path.unlink()
        if not any(path.parent.iterdir()):
            path.parent.rmdir()
    return [path.relative_to(folder).as_posix() for path in stale]
