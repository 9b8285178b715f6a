import itertools
import json
import random
from typing import Any

import pytest

from fencebench.checker.oracle.history.history import FOREVER, Call, read_history
from fencebench.checker.oracle.history.ledger import Ledger, step
from fencebench.checker.oracle.history.linearize import linearize
from fencebench.checker.oracle.history.parts import parts_of
from fencebench.checker.oracle.history.search import Part, Placed, search
from fencebench.checker.oracle.log.events import BadLineError
from tests.oracle.stories import command

Line = dict[str, Any]
OPEN: Line = {
    "op": "run.open",
    "run": 7,
    "shards": [3, 4],
    "ceiling": 3700,
    "revision": "rev-A",
    "input_digest": "in-1",
}


def begin(client: int, op: str, **fields: Any) -> Line:
    return {"client": client, "type": "invoke", "op": op, "run": 7, "shard": 3, "epoch": 0, **fields}


def end(client: int, kind: str = "ok", **fields: Any) -> Line:
    return {"client": client, "type": kind, **fields}


def reserve(client: int = 1, **fields: Any) -> Line:
    return begin(client, "ledger.reserve", **{"tokens": 1850, **fields})


def put(client: int = 1, **fields: Any) -> Line:
    return begin(client, "store.put", **{"digest": "art-0", **fields})


def commit(client: int = 1, **fields: Any) -> Line:
    return begin(client, "ledger.commit", **{"tokens": 1850, "digest": "art-0", **fields})


def texts(*lines: Line, plan: Line | None = None) -> list[str]:
    return [json.dumps(line) for line in ((plan or OPEN), *lines)]


RESERVED: list[Line] = [reserve(), end(1)]
WHOLE: list[Line] = [*RESERVED, put(), end(1), commit(), end(1), begin(1, "seal"), end(1)]


def test_one_call_after_another_is_linearizable() -> None:
    assert linearize(texts(*WHOLE)).verdict == "linearizable"


def test_two_concurrent_commits_of_two_epochs_cannot_both_be_accepted() -> None:
    replaced = [*RESERVED, put(), end(1), begin(1, "lease.expire"), end(1), reserve(epoch=1), end(1)]
    second, plan = put(epoch=1, digest="art-1"), {**OPEN, "acceptance": "receipt"}
    both = [commit(1), commit(2, epoch=1, digest="art-1"), end(1), end(2)]
    found = linearize(texts(*replaced, second, end(1), *both, plan=plan))
    assert (found.verdict, found.line, found.op) == ("not linearizable", 14, "ledger.commit")
    assert (found.rule, found.property) == ("already_committed", "billed_once")
    assert "no_stale_commit" in found.promises
    refused = [*both[:2], end(1, "fail", reason="STALE_EPOCH"), end(2)]
    assert linearize(texts(*replaced, second, end(1), *refused, plan=plan)).verdict == "linearizable"


def test_concurrent_calls_may_take_effect_in_either_order() -> None:
    crossed = [reserve(1), put(2), end(2), end(1)]
    assert linearize(texts(*crossed)).verdict == "linearizable"
    raced = [*RESERVED, put(1), put(2, digest="art-9"), end(1), end(2, "fail", reason="CONFLICT")]
    assert linearize(texts(*raced)).verdict == "linearizable"
    raced[-1] = end(2)
    assert linearize(texts(*raced)).verdict == "not linearizable"


def test_an_unknown_call_may_take_effect_at_any_later_point_or_never() -> None:
    lost = [*RESERVED, put(1), end(1, "info")]
    for later in ([put(2), end(2, "fail", reason="ALREADY_STORED")], [put(2), end(2)], []):
        assert linearize(texts(*lost, *later)).verdict == "linearizable"
    committed = [commit(2), end(2), put(3), end(3, "fail", reason="CONFLICT")]
    found = linearize(texts(*RESERVED, put(1), *committed))
    assert (found.verdict, found.line) == ("not linearizable", 8)


def test_an_unknown_call_does_not_take_effect_before_it_was_made() -> None:
    early = [*RESERVED, put(2), end(2, "fail", reason="ALREADY_STORED"), put(1)]
    found = linearize(texts(*early))
    assert (found.verdict, found.line) == ("not linearizable", 5)
    assert found.why == ("ALREADY_STORED is not true: nothing of that content is there under epoch 0",)


def test_the_ceiling_brings_the_shards_of_a_run_together() -> None:
    other = reserve(2, shard=4)
    within = texts(*RESERVED, other, end(2))
    assert len(parts_of(read_history(within))) == 2
    tight = {**OPEN, "ceiling": 1850}
    found = linearize(texts(*RESERVED, other, end(2), plan=tight))
    assert (found.verdict, found.line, found.parts) == ("not linearizable", 5, 1)
    assert "with 1850 tokens of others that is 3700, above the ceiling of 1850" in found.why[0]
    over = end(2, "fail", reason="OVER_CEILING")
    assert linearize(texts(*RESERVED, other, over, plan=tight)).verdict == "linearizable"
    assert linearize(texts(*RESERVED, other, over)).verdict == "not linearizable"


def test_a_report_needs_every_receipt() -> None:
    report = {"client": 1, "type": "invoke", "op": "report.print", "run": 7}
    one = [*WHOLE, report]
    assert linearize(texts(*one, end(1, "fail", reason="MISSING_SHARDS"))).verdict == "linearizable"
    assert linearize(texts(*one, end(1))).verdict == "not linearizable"


def test_the_clock_decides_where_calls_and_leases_carry_it() -> None:
    held = [begin(1, "lease.grant", t=0, expires=60), end(1, t=1)]
    for begun, ended, kinds in ((59, 61, {"ok", "fail"}), (60, 61, {"fail"}), (50, 59, {"ok"})):
        for kind in ("ok", "fail"):
            found = linearize(texts(*held, put(t=begun), end(1, kind, t=ended)))
            assert (found.verdict == "linearizable") is (kind in kinds), (begun, kind)


def test_a_search_that_hits_its_limit_is_undetermined() -> None:
    puts = [put(client, epoch=client, digest=f"a{client}") for client in range(1, 9)]
    plan = {**OPEN, "acceptance": "receipt"}
    history = texts(*RESERVED, *puts, put(20), end(20, "fail", reason="SEALED"), plan=plan)
    assert linearize(history, limit=20).verdict == "undetermined"
    assert linearize(history).verdict == "not linearizable"


def test_a_history_in_which_nothing_took_effect_is_vacuous() -> None:
    assert linearize(texts(reserve(), end(1, "info"))).verdict == "vacuous"


def test_runs_are_searched_apart() -> None:
    found = linearize(texts(reserve(run=7), reserve(2, run=8), end(1), end(2)))
    assert (found.verdict, found.parts) == ("linearizable", 2)


BAD: dict[str, tuple[Line, str]] = {
    "no client": ({"type": "invoke", "op": "seal"}, "expected a client and a type"),
    "no type": ({"client": 1, "op": "seal"}, "expected a client and a type"),
    "client is a list": ({"client": [1], "type": "ok"}, "expected client to be a name"),
    "unknown op": (begin(1, "store.get"), "unknown op 'store.get', expected one of run.open, lease.grant"),
    "missing field": (begin(1, "ledger.reserve"), "ledger.reserve: the required field tokens is missing"),
    "wrong type": (put(epoch="0"), "expected epoch to be a whole number"),
    "not invoked": (end(1), "client 1 completes a call that it did not invoke"),
    "no run": ({"op": "run.open"}, "the required field run is missing"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_line_is_named(kind: str) -> None:
    line, expected = BAD[kind]
    with pytest.raises(BadLineError, match=r"^line 2: ") as error:
        linearize(texts(line))
    assert expected in str(error.value)


def test_a_client_has_one_open_call_and_completes_that() -> None:
    with pytest.raises(BadLineError, match="client 1 has an open call since line 2"):
        linearize(texts(reserve(), put()))
    with pytest.raises(BadLineError, match=r"completes store\.put, it invoked ledger\.reserve at line 2"):
        linearize(texts(reserve(), end(1, op="store.put")))
    with pytest.raises(BadLineError, match="the history is empty"):
        linearize([])


def test_the_command_says_the_verdict_and_exits_by_it(tmp_path: Any) -> None:
    path = tmp_path / "history.jsonl"
    wrong = [*WHOLE, put(), end(1, "fail")]
    for lines, code, word in ((WHOLE, 0, "LINEARIZABLE"), (wrong, 1, "NOT LINEARIZABLE")):
        path.write_text("\n".join(texts(*lines)))
        found, out, _ = command("oracle", "linearize", str(path))
        assert (found, out.startswith(f"{word}  ")) == (code, True)
    assert "line 11: store.put of client 1 was answered refused and has no place" in out
    _, out, _ = command("oracle", "linearize", str(path), "--format", "json")
    assert json.loads(out)["line"] == 11
    code, out, err = command("oracle", "linearize", str(tmp_path / "none"))
    assert (code, out, err.count("\n")) == (2, "", 1)


def test_placing_counts_from_the_first_gap() -> None:
    assert Placed().plus(1, True).plus(0, True).plus(3, True).plus(2, False) == Placed(2, 0b10, 0b100)


def brute_force(part: Part) -> bool:
    """Try every order of every choice of unknown calls; obviously right, and slow."""
    known = [call for call in part.calls if call.known]
    unknown = [call for call in part.calls if not call.known]
    chosen = (known + list(some) for n in range(len(unknown) + 1) for some in itertools.combinations(unknown, n))
    return any(_fits(part, part.start, calls) for calls in chosen)


def _fits(part: Part, ledger: Ledger, left: list[Call]) -> bool:
    for number, call in enumerate(left):
        rest = left[:number] + left[number + 1 :]
        if all(other.completed >= call.invoked for other in rest):
            after = step(part.world, ledger, call).after
            if after is not None and _fits(part, after, rest):
                return True
    return not left


def random_history(chance: random.Random) -> list[str]:
    """Three clients with random calls and random answers, some lost; right and wrong ones both come out often."""
    calls = [reserve, put, commit]
    lines: list[Line] = []
    waiting: dict[int, Line] = {}
    for _ in range(chance.randrange(4, 13)):
        client = chance.randrange(1, 4)
        if client in waiting:
            del waiting[client]
            kind = chance.choice(["ok", "ok", "fail", "info"])
            reasons = ["STALE_EPOCH", "SEALED", "CONFLICT", "ALREADY_STORED", "UNRESERVED_SPEND", "NO_ARTIFACT"]
            lines.append(end(client, kind, **({"reason": chance.choice(reasons)} if kind == "fail" else {})))
        else:
            waiting[client] = chance.choice(calls)(client, epoch=chance.randrange(2), digest=chance.choice("ab"))
            lines.append(waiting[client])
    return texts(*lines, plan={**OPEN, "ceiling": chance.choice([1850, 9000])})


def test_the_search_agrees_with_trying_every_order() -> None:
    verdicts = set()
    for seed in range(600):
        for part in parts_of(read_history(random_history(random.Random(seed)))):
            found = search(part)
            verdicts.add(found.word)
            assert (found.word == "linearizable") is brute_force(part), seed
            if found.stuck is not None:
                assert found.stuck.completed < FOREVER
    assert verdicts == {"linearizable", "not linearizable"}
