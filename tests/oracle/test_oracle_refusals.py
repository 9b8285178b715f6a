"""Every class of refusal is seen to be true of something and denied of something: the last line is judged."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fencebench.checker.oracle.judge.conditions import CONDITIONS
from fencebench.checker.oracle.judge.guards import GUARDS
from fencebench.checker.oracle.log.ops import OPS
from fencebench.checker.oracle.replay.replay import Verdict, replay
from fencebench.model.fence import GO_ON, Refusal

Line = dict[str, Any]
Judged = Callable[..., Verdict]


def ev(t: float, op: str, outcome: str, epoch: int = 0, shard: int = 3, **fields: Any) -> Line:
    return {"t": t, "op": op, "shard": shard, "epoch": epoch, "outcome": outcome, **fields}


def grant(t: float = 1, epoch: int = 0, expires: float = 61, **fields: Any) -> Line:
    return ev(t, "lease.grant", "granted", epoch, expires=expires, **fields)


def put(t: float = 10, epoch: int = 0, digest: str = "art-0", **fields: Any) -> Line:
    return ev(t, "store.put", "created", epoch, digest=digest, **fields)


def commit(t: float = 20, tokens: int = 40, digest: str = "art-0", **fields: Any) -> Line:
    return ev(t, "ledger.commit", "committed", tokens=tokens, digest=digest, **fields)


def reserve(t: float = 2, tokens: int = 1850, **fields: Any) -> Line:
    return ev(t, "ledger.reserve", "reserved", tokens=tokens, **fields)


def call(t: float = 5, tokens: int = 40, revision: str = "rev-A", **fields: Any) -> Line:
    return ev(t, "model.call", "ok", tokens=tokens, revision=revision, **fields)


def row(**fields: Any) -> Line:
    return ev(9, "row.accept", "accepted", **{"case": 0, "revision": "rev-A", "revision_served": "rev-A", **fields})


def fixture(t: float = 15, **fields: Any) -> Line:
    return {"t": t, "op": "fixture.change", "shard": 3, "input_digest": "in-2", **fields}


def config(t: float = 15) -> Line:
    return {"t": t, "op": "config.change", "shard": 3, "config_digest": "cfg-2"}


def report(**fields: Any) -> Line:
    return {"t": 90, "op": "report.print", "outcome": "printed", **fields}


def sealed(shard: int, **fields: Any) -> list[Line]:
    t = shard * 10
    made = [grant(t, shard=shard, expires=99), put(t + 1, shard=shard)]
    return [*made, commit(t + 2, shard=shard, **fields), ev(t + 3, "seal", "sealed", shard=shard)]


G = grant()
SECOND = grant(61, 1, 121)
DONE = [G, put(), commit()]
CONFLICT = put(12, digest="art-1") | {"outcome": "CONFLICT"}

CASES: dict[tuple[str, str], tuple[list[Line], list[Line]]] = {
    ("ledger.reserve", "ALREADY_RESERVED"): ([reserve(), reserve()], [reserve(), reserve(tokens=1)]),
    ("store.put", "ALREADY_STORED"): ([G, put(), put(11)], [G, put(), put(11, digest="art-1")]),
    ("ledger.commit", "ALREADY_COMMITTED"): ([*DONE, commit(21)], [*DONE, commit(21, digest="art-9")]),
    ("store.put", "CONFLICT"): ([G, put(), put(11, digest="art-1")], [G, put(), put(11)]),
    ("ledger.commit", "CONFLICT"): ([*DONE, commit(21, digest="art-9")], [*DONE, commit(21, tokens=41)]),
    ("ledger.reserve", "CONFLICT"): ([reserve(), reserve(tokens=1)], [reserve(), reserve()]),
    ("lease.grant", "CONFLICT"): ([grant(holder="a"), grant(holder="b")], [grant(holder="a"), grant(holder="a")]),
    ("lease.renew", "CONFLICT"): (
        [
            grant(version_new=1),
            ev(5, "state.set", "ok", 0, state="x") | {"epoch": None, "version": 2},
            ev(9, "lease.renew", "granted", version_expected=1),
        ],
        [grant(version_new=1), ev(9, "lease.renew", "granted", version_expected=0)],
    ),
    ("row.accept", "CONFLICT"): ([G, row(), row()], [G, row(), row(case=1)]),
    ("ledger.commit", "REVISION_MISMATCH"): (
        [G, call(revision="rev-B"), put(), commit()],
        [G, call(), put(), commit()],
    ),
    ("store.put", "INPUT_MISMATCH"): (
        [G, fixture(), put(16, input_digest="in-1")],
        [G, put(16, input_digest="in-1")],
    ),
    ("store.put", "CONFIG_MISMATCH"): (
        [G, config(), put(16, config_digest="cfg-1")],
        [G, put(16, config_digest="cfg-1")],
    ),
    ("store.put", "STALE_EPOCH"): ([G, SECOND, put(70)], [G, put()]),
    ("lease.grant", "STALE_EPOCH"): ([G, SECOND, grant(130, 0, 190)], [G, SECOND]),
    ("store.put", "SEALED"): ([*DONE, put(21)], [G, put(), put(11)]),
    ("store.put", "LEASE_EXPIRED"): ([G, put(61)], [G, put(60)]),
    ("ledger.reserve", "LEASE_EXPIRED"): ([G, reserve(61)], [G, reserve(60)]),
    ("store.put", "LEASE_MARGIN"): ([G, put(clock_of_actor=60)], [G, put(clock_of_actor=1)]),
    ("model.call", "NO_HOLD"): ([G, reserve(shard=4), call()], [G, reserve(), call()]),
    ("ledger.commit", "UNRESERVED_SPEND"): (
        [G, reserve(), call(), put(), commit(tokens=39)],
        [G, reserve(), call(), put(), commit()],
    ),
    ("model.call", "HOLD_EXHAUSTED"): (
        [G, reserve(tokens=79), call(), call()],
        [G, reserve(tokens=80), call(), call()],
    ),
    ("ledger.reserve", "OVER_CEILING"): (
        [reserve(), reserve(3, 1151, shard=4)],
        [reserve(), reserve(3, 1150, shard=4)],
    ),
    ("ledger.commit", "NO_ARTIFACT"): ([G, put(), commit(digest="art-1")], [G, put(), commit()]),
    ("store.put", "INCOMPLETE"): ([G, put(parts=[1, 2])], [G, put(parts=[2, 2])]),
    ("report.print", "MISSING_SHARDS"): ([*sealed(3), report()], [*sealed(3), *sealed(4), report()]),
    ("report.print", "UNRESOLVED_CONFLICT"): ([G, put(), CONFLICT, report()], [G, put(), report()]),
    ("report.print", "MIXED_REVISIONS"): (
        [*sealed(3, revision="rev-A"), *sealed(4, revision="rev-B"), report()],
        [*sealed(3, revision="rev-A"), *sealed(4, revision="rev-A"), report()],
    ),
    ("seal", "SEALED"): ([*sealed(3), ev(40, "seal", "sealed")], [G, put(), ev(40, "seal", "sealed")]),
    ("seal", "NO_RECEIPT"): (
        [*DONE, ev(30, "seal", "sealed", shard=4)],
        [*DONE, ev(30, "seal", "sealed")],
    ),
}
PLANS: dict[tuple[str, str], dict[str, Any]] = {
    ("report.print", "MIXED_REVISIONS"): {"revision": None},
    ("ledger.commit", "REVISION_MISMATCH"): {"acceptance": "receipt"},
}


def refused(lines: list[Line], word: str, **fields: Any) -> list[Line]:
    return [*lines[:-1], {**lines[-1], "outcome": word, **fields}]


@pytest.mark.parametrize("case", CASES, ids=["-".join(case) for case in CASES])
@pytest.mark.parametrize("beside_refused", [True, False])
def test_a_class_is_true_and_denied(case: tuple[str, str], beside_refused: bool, judged: Judged) -> None:
    word, fields = ("refused", {"reason": case[1]}) if beside_refused else (case[1], {})
    true, denied = (refused(lines, word, **fields) for lines in CASES[case])
    plan = PLANS.get(case, {})
    assert judged(true, **plan).line is None
    found = judged(denied, **plan)
    assert (found.line, found.rule) == (len(denied) + 1, case[1].lower()), found.why
    assert found.property == "rejections_classified"


def test_every_class_is_in_the_table() -> None:
    assert {name for _, name in CASES} == set(CONDITIONS) == set(Refusal)


def test_a_provider_may_refuse_below_the_ceiling(judged: Judged) -> None:
    assert judged([G, refused([call()], "OVER_CEILING")[0]]).line is None


def test_a_class_where_it_makes_no_sense_counts_as_a_word_of_ones_own(judged: Judged) -> None:
    assert judged([G, put(11) | {"outcome": "MISSING_SHARDS"}]).rule == "refused_for_a_reason"
    assert judged([G, put(61) | {"outcome": "MISSING_SHARDS"}]).line is None


LINES: dict[str, list[Line]] = {
    "lease.grant": [G],
    "lease.wait": [grant()],
    "lease.renew": [G, ev(9, "lease.renew", "granted", expires=70)],
    "lease.expire": [G, ev(61, "lease.expire", "expired")],
    "ledger.reserve": [G, reserve()],
    "dispatch": [G, ev(9, "dispatch", "sent")],
    "ckpt.write": [G, ev(9, "ckpt.write", "ok", done=[0], input_digest="in-1", config_digest="cfg-1")],
    "ckpt.resume": [G, ev(9, "ckpt.resume", "resumed", input_digest="in-1", config_digest="cfg-1")],
    "store.tell": [G, ev(9, "store.tell", "ok")],
    "store.put": [G, put(input_digest="in-1", config_digest="cfg-1", parts=[4, 4])],
    "store.apply": [G, put() | {"op": "store.apply"}],
    "store.delete": [G, put(), ev(12, "store.delete", "deleted", digest="art-0")],
    "ledger.commit": DONE,
    "row.accept": [G, row()],
    "ledger.release": [G, reserve(), ev(9, "ledger.release", "released", tokens=10)],
    "ledger.sweep": [G, reserve(), ev(9, "ledger.sweep", "released", tokens=10)],
    "ledger.waste": [G, reserve(), ev(9, "ledger.waste", "ok", tokens=10)],
    "ledger.rebuild": [*DONE, {"t": 40, "op": "ledger.rebuild", "total": 40, "outcome": "ok"}],
    "seal": [*DONE, ev(30, "seal", "sealed")],
    "state.set": [G, ev(9, "state.set", "ok", state="running")],
    "report.print": [*sealed(3), *sealed(4), report()],
}


@pytest.mark.parametrize("op", [op for op in OPS if OPS[op].accepts])
def test_where_nothing_stands_against_it_an_op_is_accepted_and_a_bare_refusal_diverges(op: str, judged: Judged) -> None:
    lines = LINES[op] if op != "lease.wait" else [G | {"op": op}]
    lines = [*lines[:-1], {**lines[-1], "op": op}]
    plan = {"acceptance": "receipt" if op == "store.delete" else "put"}
    assert judged(lines, **plan).line is None
    found = judged(refused(lines, "refused"), **plan)
    assert (found.line, found.property) == (len(lines) + 1, "rejections_classified")
    assert found.rule in ("refused_for_a_reason", "own_change")
    assert OPS[op].accepts[0] in " ".join(found.allowed)


@pytest.mark.parametrize("op", ["store.put", "ledger.commit", "ledger.reserve", "lease.grant"])
def test_a_holder_is_not_refused_for_what_it_did_itself(op: str, judged: Judged) -> None:
    lines = {**LINES, "lease.grant": [grant(holder="w1")]}[op]
    again = [*lines, lines[-1]]
    for word in ("refused", "CONFLICT"):
        found = judged(refused(again, word))
        assert (found.line, found.code) == (len(again) + 1, "OWN_WRITE_REFUSED")
    already = {"store.put": "ALREADY_STORED", "ledger.commit": "ALREADY_COMMITTED"}.get(op, "ALREADY_RESERVED")
    assert judged(refused(again, already)).line is None


def test_a_repeated_reserve_does_not_stand_in_its_own_way(judged: Judged) -> None:
    lost = reserve(tokens=3000) | {"outcome": "no_reply", "applied": True}
    assert judged([G, lost, reserve(3, 3000) | {"outcome": "OVER_CEILING"}]).rule == "over_ceiling"


def test_a_word_that_is_no_class_counts_as_none(judged: Judged) -> None:
    assert judged([G, put(61) | {"outcome": "TOO_LATE"}]).line is None
    assert judged([G, put(60) | {"outcome": "TOO_LATE"}]).rule == "refused_for_a_reason"


def test_success_told_again_is_no_class_for_a_bare_refusal() -> None:
    assert set(GO_ON) < set(Refusal)
    assert all(op in OPS for op in (*GUARDS, *(op for each in CONDITIONS.values() for op in each.ops)))


def test_the_message_names_what_would_have_been_allowed(here: Path) -> None:
    lines = (here / "cases" / "L01_late_put_after_replacement.jsonl").read_text().splitlines()
    found = replay(lines)
    assert "STALE_EPOCH" in found.allowed
    assert "created" not in found.allowed
    assert json.dumps(found.why) == '"epoch 0 is below the highest granted, epoch 1"'
