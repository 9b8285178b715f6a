"""The wheel and the source distribution: what is in them, and that an installed bench minds nobody's folders."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.quick import thorough

pytestmark = thorough

ROOT = Path(__file__).parent.parent
PROJECT_FILES = {".gitignore", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml"}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
HOSTILE = "raise ImportError('this is the model of somebody else')\n"
FENCE = "from neighbour import OURS\n"
NEIGHBOUR = 'from fencebench import REFERENCE\nOURS = REFERENCE.without("put.conflict")\n'
TEST = """
from fencebench import REFERENCE
import fencebench.checker.cli.main

def test_the_bench_is_there():
    assert REFERENCE.rules()
"""
QUICK = ("check", "--shards", "1", "--faults", "0")


def ran(*words: str | Path, cwd: Path) -> str:
    """Run a program that must end well, with the interpreters of pyenv on the path too; return what it printed."""
    there = [str(folder) for folder in sorted(Path.home().glob(".pyenv/versions/*/bin"))]
    kept = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
    env = kept | {"PATH": os.pathsep.join([*kept["PATH"].split(os.pathsep), *there])}
    done = subprocess.run([*map(str, words)], cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{words} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


@pytest.fixture(scope="module")
def uv() -> str:
    found = shutil.which("uv")
    if found is None:
        pytest.fail("this test builds and installs with the program uv: pip install uv")
    return found


@pytest.fixture(scope="module")
def built(uv: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source distribution, and the wheel from it."""
    folder = tmp_path_factory.mktemp("dist")
    ran(uv, "build", "-q", "-o", folder, cwd=ROOT)
    return folder


def sources() -> set[str]:
    """Return every file of the package as it is named once installed."""
    places = [(ROOT / name, Path("fencebench", name)) for name in ("model", "checker")]
    below = {(to / p.relative_to(place)).as_posix() for place, to in places for p in place.rglob("*") if p.is_file()}
    face = {p.relative_to(ROOT).as_posix() for p in (ROOT / "fencebench").iterdir() if p.is_file()}
    return {name for name in below | face if "__pycache__" not in name}


def test_the_wheel_has_every_file_of_the_package_and_nothing_else_at_the_top(built: Path) -> None:
    [wheel] = built.glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert {name.split("/")[0] for name in names} == {"fencebench"}
    assert names == sources()
    assert any(name.endswith("py.typed") for name in names)
    assert any(name.endswith(".schema.json") for name in names)


def test_the_source_distribution_has_the_same_and_the_files_of_the_project(built: Path) -> None:
    [archive] = built.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    assert names == sources() | PROJECT_FILES


def environment(uv: str, python: str, package: Path, folder: Path) -> Path:
    """Make an environment with the package and pytest; return its folder of programs, or skip where Python is none."""
    try:
        ran(uv, "venv", "-q", "--python", python, folder, cwd=folder.parent)
    except RuntimeError as error:
        pytest.skip(f"no Python {python} here: {str(error).strip().splitlines()[-1].strip()}")
    ran(uv, "pip", "install", "-q", "--python", folder / "bin" / "python", package, "pytest", cwd=folder.parent)
    return folder / "bin"


def hostile(folder: Path, packages: bool) -> Path:
    """Make a folder with somebody's own `model` and `checker`, a fence with a neighbour, and a test."""
    folder.mkdir()
    for name in ("model", "checker"):
        place = folder / name / "__init__.py" if packages else folder / f"{name}.py"
        place.parent.mkdir(exist_ok=True)
        place.write_text(HOSTILE)
    for file, text in (("ours.py", FENCE), ("neighbour.py", NEIGHBOUR), ("test_ours.py", TEST)):
        (folder / file).write_text(text)
    return folder


def works(programs: Path, folder: Path) -> None:
    """See that the program, the module and a test run there."""
    python, program = programs / "python", programs / "fencebench"
    assert ran(program, "--version", cwd=folder).startswith("fencebench, version ")
    for first in ((program,), (python, "-m", "fencebench")):
        assert ran(*first, *QUICK, cwd=folder).startswith("HOLDS")
        assert "ours.py:OURS" in ran(*first, QUICK[0], "ours.py:OURS", *QUICK[1:], cwd=folder)
    assert "1 passed" in ran(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_ours.py", cwd=folder)
    assert "1 passed" in ran(programs / "pytest", "-q", "-p", "no:cacheprovider", "test_ours.py", cwd=folder)
    where = ran(python, "-c", "import fencebench.model.machine as m; print(m.__file__)", cwd=folder)
    assert Path(where.strip()).is_relative_to(programs.parent)


@pytest.mark.parametrize("python", PYTHONS)
def test_an_installed_wheel_minds_nobodys_model_and_checker(uv: str, built: Path, python: str, tmp_path: Path) -> None:
    [wheel] = built.glob("*.whl")
    programs = environment(uv, python, wheel, tmp_path / "venv")
    works(programs, hostile(tmp_path / "files", packages=False))
    works(programs, hostile(tmp_path / "packages", packages=True))


def test_the_source_distribution_installs_as_well(uv: str, built: Path, tmp_path: Path) -> None:
    [archive] = built.glob("*.tar.gz")
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    works(environment(uv, version, archive, tmp_path / "venv"), hostile(tmp_path / "files", packages=False))
