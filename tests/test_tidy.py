"""Promises about the code itself."""

import ast
import re
import tomllib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from fencebench.model.build import EACH_EPOCH, FAULTS_ONCE, ONCE, SHARED
from fencebench.model.fence import Refusal
from fencebench.model.fences import EXPECTED, FENCES
from fencebench.model.machines import shared
from fencebench.model.promises import progress, refusals
from fencebench.model.promises.catalogue import NAMES, PROMISES
from tests.rooms import GROUND, MISNAMED, PRINTING, ROOMS, STANDING

ROOT = Path(__file__).parent.parent
SOURCES = sorted([*ROOT.glob("model/**/*.py"), *ROOT.glob("checker/**/*.py")])
FACE = sorted(ROOT.glob("fencebench/*.py"))
TESTS = sorted(ROOT.glob("tests/**/*.py"))
PROSE = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(ROOT.glob("docs/*.md"))]
FILES_IN_A_FOLDER = 20
GROWN: dict[str, int] = {}
"""Folders that still have more, to be divided; none may grow."""

OLD_WORDS = (
    "alarm",
    "book",
    "cast",
    "commands",
    "crew",
    "deaf",
    "debt",
    "dish",
    "docket",
    "ears",
    "environment",
    "era",
    "facet",
    "grid",
    "hearing",
    "kitchen",
    "loud",
    "menu",
    "offer",
    "owed",
    "panel",
    "retrace",
    "scene",
    "sealed",
    "sight",
    "solo",
    "surveyor",
    "suspicion",
    "tempers",
    "trail",
    "truths",
    "turns",
)
"""Words that the field does not use for what they were used for here; no file is named with one."""


@pytest.mark.parametrize("function", [c.fails for p in PROMISES for c in p.claims], ids=lambda f: f.__name__)
def test_every_promise_has_a_claim_and_its_source(function: object) -> None:
    assert function.__doc__
    if function.__module__ != refusals.__name__:  # one claim, split by boundary; its source is the module's
        assert "Source:" in function.__doc__


def test_what_is_judged_on_the_graph_and_the_classes_of_refusals_have_their_source() -> None:
    assert "Source:" in (progress.may_finish.__doc__ or "")
    assert "design section 4" in (refusals.__doc__ or "")


def test_every_action_has_a_docstring() -> None:
    actions = [*ONCE, *EACH_EPOCH, *FAULTS_ONCE, *SHARED]
    assert [a.__name__ for a in actions if not a.__doc__] == []
    assert shared.publish in actions


def test_every_module_says_what_it_is() -> None:
    assert [p for p in (*SOURCES, *FACE) if not ast.get_docstring(ast.parse(p.read_text(encoding="utf-8")))] == []


def named(path: Path) -> Iterator[str]:
    """Yield the dotted names that a file imports, deep ones whole (`from a import b` may mean the module `a.b`)."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: a relative import; write the whole name"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def module(name: str) -> str | None:
    """Return a name of `fencebench.model` or `fencebench.checker` as the path of its file or package, else nothing."""
    parts = name.split(".")[1:]
    if name.split(".")[0] != "fencebench" or not parts or parts[0] not in ("model", "checker"):
        return None
    while not (ROOT.joinpath(*parts).is_dir() or ROOT.joinpath(*parts).with_suffix(".py").is_file()):
        parts.pop()
    return "/".join(parts)


def inside(path: str, place: str) -> bool:
    """Tell whether a path is a place or lies below it."""
    return path == place or path.startswith(f"{place}/")


def room_of(path: str) -> str | None:
    """Return the room that a path lies in; the ground has none."""
    return next((room for room in ROOMS if inside(path, room)), None)


def forbidden() -> Iterator[tuple[str, str]]:
    """Yield the arrows (a file, what it imports) that the table of rooms forbids."""
    for source in SOURCES:
        path = source.relative_to(ROOT).as_posix()
        room = room_of(path.removesuffix(".py"))
        allowed = (room, *ROOMS[room].imports, *(GROUND if room != "model" else ())) if room else GROUND
        for target in filter(None, map(module, named(source))):
            if not any(inside(target, place) for place in allowed):
                yield path, target


def test_rooms_import_what_the_table_allows_and_nothing_else() -> None:
    assert set(forbidden()) - STANDING == set()
    assert STANDING - set(forbidden()) == set(), "mended: take it out of STANDING"


def test_every_file_is_in_a_room_or_the_ground() -> None:
    paths = [p.relative_to(ROOT).with_suffix("").as_posix() for p in SOURCES]
    assert [p for p in paths if not room_of(p) and p not in (*GROUND, "checker/__init__", "checker/__main__")] == []


def test_no_arrow_of_the_table_leads_to_a_later_room() -> None:
    order = list(ROOMS)
    for name, room in ROOMS.items():
        later = order[order.index(name) :]
        assert [i for i in room.imports if any(inside(i, other) for other in later)] == [], name


def test_every_arrow_of_the_table_is_of_something() -> None:
    for room in ROOMS.values():
        assert room.holds
        assert [i for i in room.imports if module(f"fencebench.{i.replace('/', '.')}") != i] == []


def test_the_import_root_is_fencebench_everywhere() -> None:
    bare = {"model", "checker"}
    assert [p for p in (*SOURCES, *FACE, *TESTS) if any(n.split(".")[0] in bare for n in named(p))] == []
    told = re.compile(r"^\s*(?:from|import) (?:model|checker)\b|python -m checker\b", re.M)
    others = [p for p in TESTS if p != Path(__file__)]
    assert [p for p in (*PROSE, *others) if told.search(p.read_text(encoding="utf-8"))] == []


def test_nothing_below_the_face_imports_the_face() -> None:
    for path in SOURCES:
        assert [n for n in named(path) if n.split(".")[0] == "fencebench" and module(n) is None] == [], path


def printing(path: Path) -> bool:
    """Tell whether a file prints, or writes to standard output or standard error."""
    calls = [n.func for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.Call)]
    writes = {"print", "click.echo", "click.secho", "sys.stdout.write", "sys.stderr.write"}
    return any(ast.unparse(called) in writes for called in calls)


def test_only_the_command_line_prints() -> None:
    outside = {p.relative_to(ROOT).as_posix(): p for p in SOURCES if "checker/cli/" not in p.as_posix()}
    loud = {name for name, path in outside.items() if printing(path)}
    assert loud - PRINTING == set()
    assert PRINTING - loud == set(), "mended: take it out of PRINTING"


def test_analysis_and_searches_do_not_know_the_standard_streams() -> None:
    quiet = ("checker/search", "checker/tables", "checker/fast", "checker/reduce", "checker/walk")
    for path in SOURCES:
        if room_of(path.relative_to(ROOT).as_posix()) in (*quiet, "checker/analysis"):
            text = path.read_text(encoding="utf-8").replace(
                "redirect_stdout(sys.stderr)", ""
            )  # of a file of somebody's
            assert not re.search(r"\bsys\.(stdout|stderr)\b|\bprint\(|\becho\(", text), path


def test_a_folder_has_at_most_twenty_files() -> None:
    folders = {p.parent for p in (*SOURCES, *TESTS, *ROOT.glob("docs/*"))}
    counts = {f.relative_to(ROOT).as_posix(): sum(p.is_file() for p in f.iterdir()) for f in folders}
    large = {folder: count for folder, count in counts.items() if count > GROWN.get(folder, FILES_IN_A_FOLDER)}
    assert large == {}
    assert [f for f in GROWN if counts[f] <= FILES_IN_A_FOLDER] == [], "divided: take it out of GROWN"


def test_no_file_is_named_with_a_word_that_the_field_does_not_use() -> None:
    def words(path: Path) -> set[str]:
        return set(path.stem.split("_")) | {word.rstrip("s") for word in path.stem.split("_")}

    guilty = [p.relative_to(ROOT).as_posix() for p in (*SOURCES, *TESTS) if words(p) & set(OLD_WORDS)]
    assert set(guilty) == MISNAMED
    assert [p.name for p in SOURCES if re.search(r"_[a-d]$|^run_", p.stem)] == []


def test_every_fence_is_expected_and_every_expectation_is_a_promise() -> None:
    assert set(FENCES) == set(EXPECTED)
    assert {name for e in EXPECTED.values() for name in e.broken} <= set(NAMES)


def test_every_rule_says_what_it_refuses() -> None:
    rules = [rule for fence in FENCES.values() for _, rule in fence.rules()]
    assert [r.name for r in rules if not r.applies.__doc__] == []
    assert {r.refusal for r in rules} <= set(Refusal)


def test_every_dependency_says_why() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    named_lists = (table["project"]["optional-dependencies"] | table["dependency-groups"]).values()
    for requirement in chain(table["project"]["dependencies"], *named_lists):
        assert re.search(rf'"{re.escape(requirement)}",\s+# \w', text), requirement


def test_nothing_names_a_machine_or_a_registry() -> None:
    others = [ROOT / name for name in ("pyproject.toml", ".ci/run", ".pre-commit-config.yaml")]
    for path in (*SOURCES, *FACE, *PROSE, *others, *ROOT.glob(".github/workflows/*")):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"/(home|root|work)/|pypi\.org|registry\.", text), path
