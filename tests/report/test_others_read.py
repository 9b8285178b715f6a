"""What the bench writes for other tools is read by them."""

import json
import shutil
import subprocess
from pathlib import Path

import itf_py
import pytest

from fencebench.checker.cli.main import main
from fencebench.checker.report.itf import READABLE, read_trace

ROOT = Path(__file__).parents[2]
TRACES = sorted((ROOT / "counterexamples").glob("*/*.itf.json"))
QUICK = ["--shards", "1", "--epochs", "1", "--faults", "1", "--ceiling", "1850", "--stop-at", "all"]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("traces")
    assert main(["check", "shard-keyed", *QUICK, "--traces", str(folder), "--format", "json"]) == 1
    return sorted(folder.glob("*.itf.json"))


def nulls(value: object) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value is None or any(map(nulls, inner))


def test_a_trace_is_read_by_itf_py_and_has_no_null(written: list[Path]) -> None:
    assert written
    for path in written:
        whole = json.loads(path.read_text(encoding="utf-8"))
        assert not nulls(whole), path
        assert len(itf_py.trace_from_json(whole).states) == len(read_trace(path).steps) + 1


def test_a_trace_has_a_state_a_line(written: list[Path]) -> None:
    for path in written:
        lines = path.read_text(encoding="utf-8").splitlines()
        assert sum(line.startswith('  {"#meta":{"index"') for line in lines) == len(read_trace(path).steps) + 1


@pytest.mark.parametrize("path", TRACES[:: max(1, len(TRACES) // 6)], ids=lambda path: str(path.name))
def test_a_stored_trace_of_any_version_is_read(path: Path) -> None:
    assert json.loads(path.read_text(encoding="utf-8"))["#meta"]["version"] in READABLE
    assert all(step.action and step.unit in (None, 0, 1) for step, _ in read_trace(path).steps)


def test_a_picture_lands_where_the_person_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["render", str(TRACES[0])]) == 0
    assert [path.name for path in tmp_path.iterdir()] == [f"{TRACES[0].name.partition('.')[0]}.svg"]


def test_the_name_of_an_output_says_what_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    starts = {"x.png": b"\x89PNG", "x.svg": b"<?xml", "x.dot": b"digraph", "x.mmd": b"---", "x.txt": b"VIOLATED"}
    for name, start in starts.items():
        assert main(["render", str(TRACES[0]), "-o", str(tmp_path / name)]) == 0
        assert (tmp_path / name).read_bytes().startswith(start)
    for words in (["-o", "x.pdf"], ["-o", "x"], ["-o", "x.png", "--format", "svg"]):
        assert main(["render", str(TRACES[0]), *words]) == 2
        assert "expected a name that ends in" in capsys.readouterr().err


def tool(package: str, name: str) -> str:
    """Return a program of an npm package, installed into a cache of its own."""
    if shutil.which("npm") is None:
        pytest.skip("there is no node here; with npm this asks the tool that others use")
    folder = Path.home() / ".cache" / "fencebench-npm"
    program = folder / "node_modules" / ".bin" / name
    if not program.exists():
        install = subprocess.run(["npm", "install", "--silent", "--prefix", str(folder), package], check=False)
        if install.returncode:
            pytest.skip(f"{package} cannot be installed here")
    return str(program)


@pytest.mark.thorough
def test_the_standard_validator_finds_nothing_wrong_in_sarif(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    multitool = tool("@microsoft/sarif-multitool", "sarif-multitool")
    folder = tmp_path / "a b"
    folder.mkdir()
    (folder / "m%ine.py").write_text("from fencebench import REFERENCE\nMINE = REFERENCE.without('put.lease_over')\n")
    monkeypatch.chdir(tmp_path)
    main(["check", "a b/m%ine.py:MINE", "shard-keyed", *QUICK, "--format", "sarif"])
    (tmp_path / "log.sarif").write_text(capsys.readouterr().out)
    words = [multitool, "validate", "log.sarif", "--rule-kind", '"Sarif;Ghas"', "--level", '"Error;Warning"']
    found = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    assert "Analysis completed successfully." in found
    assert not [line for line in found.splitlines() if ": error " in line or ": warning " in line]


@pytest.mark.thorough
def test_quint_reads_a_trace(written: list[Path]) -> None:
    reader = Path(tool("@informalsystems/quint", "quint")).resolve().parent / "itf.js"
    if not reader.exists():
        pytest.skip(f"this quint has no {reader.name}")
    for path in written[:3]:
        code = (
            f"const itf = require({str(reader)!r});"
            f"const trace = JSON.parse(require('fs').readFileSync({str(path)!r}));"
            "const read = itf.ofItf(trace); console.log(Array.isArray(read) ? read.length : read);"
        )
        found = subprocess.run(["node", "-e", code], capture_output=True, text=True, check=False)
        assert found.stdout.strip() == str(len(read_trace(path).steps) + 1), found.stderr
