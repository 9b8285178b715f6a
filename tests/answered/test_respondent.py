import itertools
import sys
from pathlib import Path
from typing import Any

import pytest

from fencebench import REFERENCE, Fence
from fencebench.checker.analysis.bounds import asked
from fencebench.checker.analysis.check import Checked, check
from fencebench.checker.analysis.engines import ENGINES
from fencebench.checker.answered import LEDGER, Request, Statement, View, answered_by, process, service, sql
from fencebench.checker.search.limits import Limits
from fencebench.model.fence import BOUNDARIES, FenceError, Refusal
from fencebench.model.machines.shared import Account, accounts, stands

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def checked(fence: Fence, faults: int = 0) -> Checked:
    wanted = asked({"shards": 1, "faults": faults}, None)
    return check(fence, wanted, Limits(), ENGINES["auto"](True))


def yes(request: Request, view: View) -> None:
    """Let everybody through."""


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_a_function_can_answer_every_boundary(boundary: str) -> None:
    asked_of: list[tuple[Request, View]] = []

    def answer(request: Request, view: View) -> str | None:
        asked_of.append((request, view))
        return None

    result = checked(REFERENCE.having(**{boundary: answered_by(answer)}), faults=1)
    assert asked_of
    assert f"{boundary}." not in " ".join(rule for rule, times in result.coverage.rules.items() if times)


def test_several_boundaries_are_answered_at_once_and_the_rules_there_are_not_asked() -> None:
    fence = REFERENCE.having(put=answered_by(yes), commit=answered_by(yes))
    assert [name for name, _ in fence.answered] == ["commit", "put"]
    assert not {"put", "commit"} & {full.partition(".")[0] for full, _ in fence.rules()}
    assert fence.commit == REFERENCE.commit
    assert "billed_once" in checked(fence, faults=1).findings


def test_rules_can_answer_again() -> None:
    fence = REFERENCE.having(commit=answered_by(sql(LEDGER, "SELECT 1")))
    back = fence.having(commit=REFERENCE.commit)
    assert back.answered == ()
    assert back.promises == REFERENCE.promises


def refused(fence: Fence) -> str:
    with pytest.raises(FenceError) as caught:
        checked(fence, faults=1)
    assert "asked commit(" in str(caught.value)
    return str(caught.value)


def committed_by(*statements: Statement | str, **options: Any) -> Fence:
    return REFERENCE.having(commit=answered_by(sql(LEDGER, *statements, name="mine", **options)))


def test_an_answer_that_changes_is_found() -> None:
    turns = itertools.cycle(("STALE_EPOCH", "SEALED"))
    fence = REFERENCE.having(commit=answered_by(lambda request, view: next(turns)))
    assert "answered STALE_EPOCH, then SEALED to the same question" in refused(fence)


def test_a_function_that_raises_or_answers_nonsense_is_bad_input_with_the_question() -> None:
    def raises(request: Request, view: View) -> None:
        raise KeyError("epoch")

    assert "raises (function) raised KeyError" in refused(REFERENCE.having(commit=answered_by(raises)))
    assert "answered 'stale'" in refused(REFERENCE.having(commit=answered_by(lambda request, view: "stale")))
    assert "answered True" in refused(REFERENCE.having(commit=answered_by(lambda request, view: True)))


def test_own_words_are_translated() -> None:
    fence = REFERENCE.having(commit=answered_by(lambda request, view: "stale", {"stale": "STALE_EPOCH"}))
    assert checked(fence).coverage.outcomes["STALE_EPOCH"]
    with pytest.raises(FenceError, match="means 'STALE'"):
        answered_by(yes, {"stale": "STALE"})


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("SELECT 1 FROM nowhere", "failed: no such table"),
        ("DELETE FROM artifacts", "changed artifacts, which commit may not"),
        ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n", "no answer within"),
    ],
)
def test_a_statement_that_fails_hangs_or_meddles_is_bad_input_with_the_question(statement: str, told: str) -> None:
    assert told in refused(committed_by(statement, timeout_seconds=0.3))


def test_a_refusal_that_writes_is_found_unless_it_rolls_back() -> None:
    close = "UPDATE grants SET live = FALSE WHERE run = :run AND shard = :shard"
    refuse = Statement("SELECT 1", some="LEASE_EXPIRED")
    broken = checked(committed_by(close, refuse)).findings["writes_what_it_answers"][1].why
    assert "answered LEASE_EXPIRED and wrote grants" in broken
    assert "writes_what_it_answers" not in checked(committed_by(close, refuse, refusal="rolls back")).findings


def test_a_yes_that_writes_nothing_is_found() -> None:
    assert (
        "wrote shards (run=r7, shard=s0, sealed_epoch=None)"
        in checked(committed_by("SELECT 1")).findings["writes_what_it_answers"][1].why
    )


@pytest.mark.parametrize("make", [
    lambda: Statement("SELECT :epoh"),
    lambda: Statement(" -- the end\n commit"),
    lambda: Statement("SELECT 1", some="STALE"),
    lambda: sql(LEDGER),
    lambda: sql(LEDGER, "SELECT 1", database="mysql://here"),
    lambda: service("http://example.org/"),
    lambda: process(),
    lambda: answered_by(3),
])  # fmt: skip
def test_what_cannot_be_asked_is_refused_when_it_is_made(make: Any) -> None:
    with pytest.raises(FenceError, match="expected"):
        make()


def test_names_in_texts_comments_and_casts_are_no_parameters() -> None:
    Statement("SELECT ':nothing', \"a:b\", :epoch::text -- :nobody\n/* :no_one */ FROM runs")


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import time; time.sleep(9)", "gave no answer"),
        ("raise SystemExit(3)", "ended with exit code 3"),
        ("print('hello', flush=True)", "expected JSON"),
        ("import sys; [print('{}', flush=True) for _ in sys.stdin]", "to state.load"),
    ],
)
def test_a_process_that_hangs_ends_or_talks_is_bad_input_with_the_question(code: str, told: str) -> None:
    line = process(sys.executable, "-c", code, timeout_seconds=0.7)
    assert told in refused(REFERENCE.having(commit=answered_by(line)))


def test_accounts_stand_in_every_way_that_some_sum_can_tell() -> None:
    found = {stands(a, 1850): a for a in accounts(1850, 0, 1850)}
    triples = itertools.product(range(0, 9000, 750), repeat=3)
    assert {stands(Account(t[0], t[1], t[2], 7400), 1850) for t in triples} - set(found) == set()
    assert all(stands(account, 1850) == how for how, account in found.items())


def test_any_class_at_any_boundary_breaks_no_machine() -> None:
    for boundary, refusal in itertools.product(BOUNDARIES, [None, *Refusal]):
        checked(REFERENCE.having(**{boundary: answered_by(lambda request, view, word=refusal: word)}))
