"""Every guard accepts something and rejects something: the last line of a log is the one that is judged."""

from collections.abc import Callable
from typing import Any

import pytest

from fencebench.checker.oracle.judge.guards import GUARDS
from fencebench.checker.oracle.replay.replay import Verdict

Line = dict[str, Any]
Judged = Callable[..., Verdict]


def ev(t: float, op: str, outcome: str, epoch: int = 0, shard: int = 3, **fields: Any) -> Line:
    return {"t": t, "op": op, "shard": shard, "epoch": epoch, "outcome": outcome, **fields}


def grant(t: float = 1, epoch: int = 0, expires: float = 61, **fields: Any) -> Line:
    return ev(t, "lease.grant", "granted", epoch, expires=expires, **fields)


def put(t: float = 10, epoch: int = 0, digest: str | None = "art-0", **fields: Any) -> Line:
    return ev(t, "store.put", "created", epoch, digest=digest, **fields)


def commit(t: float = 20, epoch: int = 0, tokens: int = 40, **fields: Any) -> Line:
    return ev(t, "ledger.commit", "committed", epoch, tokens=tokens, **{"digest": "art-0", **fields})


def reserve(t: float = 2, epoch: int = 0, tokens: int = 1850, **fields: Any) -> Line:
    return ev(t, "ledger.reserve", "reserved", epoch, tokens=tokens, **fields)


def call(t: float = 5, tokens: int = 40, revision: str = "rev-A", **fields: Any) -> Line:
    return ev(t, "model.call", "ok", tokens=tokens, revision=revision, **fields)


def seal(t: float = 30, shard: int = 3) -> Line:
    return ev(t, "seal", "sealed", shard=shard)


def expire(t: float = 61) -> Line:
    return ev(t, "lease.expire", "expired")


def release(tokens: int, t: float = 50, **fields: Any) -> Line:
    return ev(t, "ledger.release", "released", tokens=tokens, **fields)


def saved(done: list[int] | None = None, **fields: Any) -> Line:
    made = {"input_digest": "in-1", "config_digest": "cfg-1", **fields}
    return ev(20, "ckpt.write", "ok", done=[0, 1] if done is None else done, **made)


def resumed(**fields: Any) -> Line:
    return ev(40, "ckpt.resume", "resumed", from_epoch=0, **fields)


def printed(**fields: Any) -> Line:
    return {"t": 90, "op": "report.print", "outcome": "printed", **fields}


def changed(what: str, t: float = 15, **fields: Any) -> Line:
    return {"t": t, "op": f"{what}.change", "shard": 3, **fields}


def both(line: Callable[..., Line]) -> list[Line]:
    return [line(shard=3), line(shard=4)]


SECOND = grant(61, 1, 121)
DONE = [grant(), put(), commit()]
BOTH_SEALED = [
    *DONE,
    seal(),
    grant(31, shard=4, expires=91),
    put(32, shard=4, digest="art-4"),
    commit(33, shard=4, digest="art-4"),
    seal(34, 4),
]

GRANT: dict[str, tuple[list[Line], list[Line]]] = {
    "planned": ([grant()], [grant(shard=9)]),
    "sealed": ([*DONE, SECOND], [*DONE, seal(), SECOND]),
    "stale_epoch": ([grant(holder="w1"), grant(2, holder="w1")], [grant(), grant(2)]),
    "lease_running": ([grant(), grant(61, 1, 121)], [grant(), grant(60, 1, 121)]),
    "lease_ends_later": ([grant(1, expires=1.5)], [grant(1, expires=1)]),
}


def row(t: float = 9, case: int = 0, **fields: Any) -> Line:
    return ev(t, "row.accept", "accepted", **{"case": case, "revision_served": "rev-A", **fields})


def wasted(tokens: int, t: float = 62) -> Line:
    return ev(t, "ledger.waste", "ok", tokens=tokens)


IN_1: dict[str, Any] = {"input_digest": "in-1"}
IN_2: dict[str, Any] = {"input_digest": "in-2"}
EXPIRED = [grant(), reserve(), expire()]
FOUR = [row(case=case) for case in range(4)]
DRAWN = [grant(), reserve(), call(), expire()]
FOUR_LATE = [row(34, case=case, shard=4) for case in range(4)]
TORN = commit(21, digest="art-9") | {"outcome": "CONFLICT"}
WORK: dict[str, tuple[list[Line], list[Line]]] = {
    "one_input": ([grant(), call(**IN_1), put(**IN_1)], [grant(), call(**IN_1), put(**IN_2)]),
    "input_mismatch": (
        [grant(), changed("fixture", **IN_2), put(16, **IN_1)],
        [grant(), changed("fixture", **IN_2), put(16, **IN_2)],
    ),
    "config_mismatch": (
        [grant(), changed("config", config_digest="cfg-2"), put(16, config_digest="cfg-1")],
        [grant(), changed("config", config_digest="cfg-2"), put(16, config_digest="cfg-2")],
    ),
    "revision_mismatch": ([grant(), call(), put()], [grant(), call(), call(6, revision="rev-B"), put()]),
}


def of(line: Callable[..., Line], cases: dict[str, tuple[list[Line], list[Line]]]) -> Any:
    """The cases of what a put brings, for another op that brings it."""

    def told(old: list[Line]) -> list[Line]:
        made = {name: old[-1][name] for name in ("input_digest", "config_digest") if name in old[-1]}
        return [*old[:-1], line(20, **made)]

    return {rule: (told(good), told(bad)) for rule, (good, bad) in cases.items()}


PUT: dict[str, tuple[list[Line], list[Line]]] = {
    **WORK,
    "stale_epoch": ([grant(), SECOND, put(70, 1)], [grant(), SECOND, put(70, 0)]),
    "sealed": ([*DONE, put(31)], [*DONE, seal(), put(31, digest="art-1")]),
    "lease_expired": ([grant(), put(60)], [grant(), put(61)]),
    "incomplete": ([grant(), put(parts=[4, 4])], [grant(), put(parts=[3, 4])]),
    "second_artifact": ([grant(), put(), SECOND, put(70, 1)], [grant(), put(), SECOND, put(70, 1, "art-1")]),
    "conflict": ([grant(), put(), put(11)], [grant(), put(), put(11, digest="art-1")]),
}
COMMIT: dict[str, tuple[list[Line], list[Line]]] = {
    **of(commit, {rule: WORK[rule] for rule in ("input_mismatch", "config_mismatch")}),
    "one_input": ([grant(), call(**IN_1), commit(**IN_1)], [grant(), call(**IN_1), commit(**IN_2)]),
    "revision_mismatch": ([grant(), put(), commit(revision="rev-A")], [grant(), put(), commit(revision="rev-B")]),
    "already_committed": ([*DONE, commit(21)], [*DONE, commit(21, counted=True)]),
    "stale_epoch": ([grant(), put(), commit(62)], [grant(), put(), SECOND, commit(62)]),
    "sealed": (
        [grant(), commit(31)],
        [grant(), seal() | {"op": "state.set", "outcome": "ok", "state": "sealed"}, commit(31)],
    ),
    "no_artifact": ([grant(), put(), commit()], [grant(), put(), commit(digest="art-9")]),
    "incomplete": ([grant(), *FOUR, commit()], [grant(), *FOUR[:3], commit()]),
    "lease_expired": ([grant(), put(), commit(60)], [grant(), put(), commit(61)]),
    "over_ceiling": ([grant(), commit(tokens=3000)], [grant(), commit(tokens=3001)]),
    "hold_ends_once": (
        [grant(), reserve(), release(850, 9), commit(tokens=1000)],
        [grant(), reserve(), release(851, 9), commit(tokens=1000)],
    ),
    "tokens_drawn": ([grant(), call(), put(), commit()], [grant(), call(), put(), commit(tokens=39)]),
    "commit_is_booked": ([grant(), put(), commit(counted=True)], [grant(), put(), commit(counted=False)]),
}
REBUILT: Line = {"t": 40, "op": "ledger.rebuild", "outcome": "ok"}
CASES: dict[str, dict[str, tuple[list[Line], list[Line]]]] = {
    "lease.grant": GRANT,
    "lease.wait": GRANT,
    "lease.renew": {
        "stale_epoch": (
            [grant(), ev(30, "lease.renew", "granted", expires=90)],
            [grant(), SECOND, ev(70, "lease.renew", "granted", expires=130)],
        ),
        "lease_expired": (
            [grant(), ev(60, "lease.renew", "granted", expires=90)],
            [grant(), ev(61, "lease.renew", "granted", expires=90)],
        ),
        "lease_ends_later": (
            [grant(), ev(30, "lease.renew", "granted", expires=61)],
            [grant(), ev(30, "lease.renew", "granted", expires=30)],
        ),
        "lease_ends_no_earlier": (
            [grant(), ev(30, "lease.renew", "granted", expires=61)],
            [grant(), ev(30, "lease.renew", "granted", expires=60)],
        ),
    },
    "lease.expire": {"lease_over": ([grant(), expire(61)], [grant(), expire(60)])},
    "ledger.reserve": {
        "over_ceiling": ([reserve(), reserve(shard=4, tokens=1150)], [reserve(), reserve(shard=4, tokens=1151)]),
    },
    "dispatch": {
        "stale_epoch": ([grant(), ev(2, "dispatch", "sent")], [grant(), SECOND, ev(62, "dispatch", "sent")]),
        "sealed": ([*DONE, ev(31, "dispatch", "sent")], [*DONE, seal(), ev(31, "dispatch", "sent")]),
        "lease_expired": ([grant(), ev(60, "dispatch", "sent")], [grant(), ev(61, "dispatch", "sent")]),
    },
    "store.put": PUT,
    "store.apply": PUT,
    "ledger.commit": COMMIT,
    "seal": {
        "stale_epoch": ([*DONE, seal()], [*DONE, SECOND, seal() | {"t": 62}]),
        "no_receipt": ([*DONE, seal()], [*DONE, seal(shard=4)]),
        "incomplete": ([grant(), *FOUR, seal()], [grant(), *FOUR[1:], seal()]),
    },
    "ckpt.resume": {
        "stale_epoch": ([grant(), saved(), resumed()], [grant(), saved(), SECOND, resumed() | {"t": 62}]),
        "lease_expired": ([grant(), saved(), resumed()], [grant(), saved(), resumed() | {"t": 61}]),
        "revision_mismatch": (
            [grant(), saved(), resumed(revision="rev-A")],
            [grant(), saved(revision="rev-B"), resumed()],
        ),
        "input_mismatch": (
            [grant(), saved(), resumed(input_digest="in-1")],
            [grant(), saved(), changed("fixture", 25, input_digest="in-2"), resumed()],
        ),
        "config_mismatch": (
            [grant(), saved(), resumed(config_digest="cfg-1")],
            [grant(), saved(), changed("config", 25, config_digest="cfg-2"), resumed()],
        ),
        "done_as_recorded": ([grant(), saved(), resumed(done=[1, 0])], [grant(), saved(), resumed(done=[0, 1, 2])]),
        "pending_is_the_rest": (
            [grant(), saved(), resumed(pending=[2, 3])],
            [grant(), saved(), resumed(pending=[3])],
        ),
    },
    "row.accept": {
        "input_mismatch": ([grant(), row(**IN_1)], [grant(), row(**IN_2)]),
        "config_mismatch": ([grant(), row(config_digest="cfg-1")], [grant(), row(config_digest="cfg-2")]),
        "one_input": ([grant(), row(**IN_1)], [grant(), row(input_digest="in-1+in-2")]),
        "revision_mismatch": ([grant(), row(revision="rev-A")], [grant(), row(revision_served="rev-B")]),
        "stale_epoch": ([grant(), row()], [grant(), SECOND, row(62)]),
        "sealed": ([*DONE, row(31)], [*DONE, *FOUR[:0], seal(), row(31)]),
        "lease_expired": ([grant(), row(60)], [grant(), row(61)]),
        "case_planned": ([grant(), row(case=3)], [grant(), row(case=4)]),
        "conflict": ([grant(), row(digest="x"), row(digest="x")], [grant(), row(digest="x"), row(digest="y")]),
    },
    "ledger.release": {
        "hold_ends_once": (
            [grant(), reserve(), release(1000), release(850)],
            [grant(), reserve(), release(1000), release(851)],
        ),
        "refund_of_burned": (
            [grant(), reserve(), call(), release(1810)],
            [grant(), reserve(), call(), release(1811)],
        ),
    },
    "ledger.waste": {
        "already_booked": ([*EXPIRED, wasted(40)], [grant(), reserve(), commit(), wasted(40, 30)]),
        "wasted_as_drawn": ([*DRAWN, wasted(40)], [*DRAWN, wasted(41)]),
        "hold_ends_once": ([*EXPIRED, wasted(1850)], [*EXPIRED, wasted(1850), wasted(1850)]),
        "over_ceiling": ([grant(), wasted(3000)], [grant(), wasted(3001)]),
    },
    "ledger.rebuild": {
        "rebuild_adds": ([*DONE, {**REBUILT, "total": 40}], [*DONE, {**REBUILT, "total": 80}]),
        "rebuild_loses": ([*DONE, {**REBUILT, "total": 40}], [*DONE, {**REBUILT, "total": 0}]),
    },
    "report.print": {
        "missing_shards": ([*BOTH_SEALED, printed(sealed=[3, 4])], [*DONE, seal(), printed(sealed=[3, 4])]),
        "each_shard_once": ([*BOTH_SEALED, printed()], [*BOTH_SEALED, printed(sealed=[3, 4, 4])]),
        "unresolved_conflict": ([*BOTH_SEALED, printed()], [*DONE, TORN, seal(), *BOTH_SEALED[4:], printed()]),
        "mixed_revisions": (
            [*DONE[:2], commit(revision="rev-A"), seal(), *BOTH_SEALED[4:], printed()],
            [
                *DONE[:2],
                commit(revision="rev-A"),
                seal(),
                *BOTH_SEALED[4:6],
                {**BOTH_SEALED[6], "revision": "rev-B"},
                BOTH_SEALED[7],
                printed(),
            ],
        ),
        "incomplete": ([*BOTH_SEALED, printed()], [*BOTH_SEALED[:3], *BOTH_SEALED[4:7], *FOUR_LATE, printed()]),
        "same_value": (
            [*BOTH_SEALED, printed(value=0.5), printed(value=0.5)],
            [*BOTH_SEALED, printed(value=0.5), printed(value=0.6)],
        ),
    },
    "store.delete": {
        "accepted_artifact": (
            [grant(), put(), ev(15, "store.delete", "deleted", digest="art-9")],
            [grant(), put(), ev(15, "store.delete", "deleted", digest="art-0")],
        ),
        "unknown_outcome": (
            [grant(), ev(15, "store.delete", "deleted", digest="art-0")],
            [
                grant(),
                put() | {"outcome": "no_reply", "applied": False},
                ev(15, "store.delete", "deleted", digest="art-0"),
            ],
        ),
    },
    "state.set": {
        "sealed": (
            [grant(), ev(9, "state.set", "ok", state="running"), ev(10, "state.set", "ok", state="completed")],
            [grant(), ev(9, "state.set", "ok", state="completed"), ev(10, "state.set", "ok", state="running")],
        ),
        "stale_epoch": (
            [grant(), SECOND, ev(70, "state.set", "ok", 1, state="running")],
            [grant(), SECOND, ev(70, "state.set", "ok", 0, state="running")],
        ),
    },
}
PLANS: dict[tuple[str, str], dict[str, Any]] = {
    ("ledger.commit", "lease_expired"): {"acceptance": "receipt"},
    ("store.put", "conflict"): {"acceptance": "receipt"},
    ("store.apply", "conflict"): {"acceptance": "receipt"},
    ("report.print", "mixed_revisions"): {"revision": None},
}
EVERY = [(op, guard) for op, guards in GUARDS.items() for guard in guards]


def log_of(op: str, lines: list[Line]) -> list[Line]:
    """The lines with the last one as `op`."""
    return [*lines[:-1], {**lines[-1], "op": op}]


@pytest.mark.parametrize(("op", "guard"), EVERY, ids=[f"{op}-{guard.rule}" for op, guard in EVERY])
def test_a_guard_accepts_and_rejects(op: str, guard: Any, judged: Judged) -> None:
    good, bad = CASES[op][guard.rule]
    plan = PLANS.get((op, guard.rule), {})
    assert judged(log_of(op, good), **plan).line is None
    found = judged(log_of(op, bad), **plan)
    assert (found.line, found.rule) == (len(bad) + 1, guard.rule), found.why
    assert set(guard.promises) & set(found.promises)
    assert found.why


def test_the_table_of_cases_names_exactly_the_guards() -> None:
    named = {(op, rule) for op, rules in CASES.items() for rule in rules}
    assert named == {(op, guard.rule) for op, guard in EVERY}


# whether a commit is booked says how the answer was carried out, not whether it may be given
GIVEN = [(op, guard) for op, guard in EVERY if guard.rule != "commit_is_booked"]


@pytest.mark.parametrize(("op", "guard"), GIVEN, ids=[f"{op}-{guard.rule}" for op, guard in GIVEN])
def test_a_refusal_without_a_class_is_right_when_a_guard_is_false(op: str, guard: Any, judged: Judged) -> None:
    _, bad = CASES[op][guard.rule]
    plan = PLANS.get((op, guard.rule), {})
    refused = judged([*bad[:-1], {**bad[-1], "op": op, "outcome": "refused"}], **plan)
    own_repeat = (op, guard.rule) == ("ledger.commit", "already_committed")
    assert (refused.line is None) is not own_repeat, refused.why


def test_several_parts_of_a_hold_add_up_to_it(judged: Judged) -> None:
    waste = ev(51, "ledger.waste", "ok", tokens=1800)
    spent = [grant(), reserve(), call(tokens=1800), ev(45, "attempt.end", "failed")]
    assert judged([*spent, waste, release(50, 52)]).line is None
    assert judged([*spent, release(50), waste]).line is None
    assert judged([*spent, waste, release(51, 52)]).rule == "hold_ends_once"


def test_what_is_left_of_a_hold_is_released_after_the_commit(judged: Judged) -> None:
    committed = [grant(), reserve(), call(), put(), commit()]
    assert judged([*committed, release(1810)]).line is None
    assert judged([*committed, release(1811)]).rule == "hold_ends_once"


def test_without_leases_an_epoch_is_issued_by_its_reserve(judged: Judged) -> None:
    issued = [reserve(tokens=10), reserve(3, 1, tokens=10)]
    assert judged([*issued, put(epoch=1), commit(epoch=1, tokens=10)]).verdict == "conforms"
    assert judged([*issued, put(epoch=0), commit(epoch=1, tokens=10)]).rule == "stale_epoch"


def test_nothing_is_demanded_of_what_is_not_observed(judged: Judged) -> None:
    assert judged([commit(digest=None)]).verdict == "conforms"


def test_a_renewal_without_its_end_leaves_the_end_open(judged: Judged) -> None:
    renewed = [grant(), ev(50, "lease.renew", "granted")]
    assert judged([*renewed, put(109)]).line is None
    assert judged([*renewed, put(61) | {"outcome": "LEASE_EXPIRED"}]).line is None
    assert judged([*renewed, put(110)]).rule == "lease_expired"


def test_the_newest_dispatch_counts_where_nobody_grants(judged: Judged) -> None:
    sent = [ev(1, "dispatch", "sent", 0), ev(2, "dispatch", "sent", 1)]
    assert judged([*sent, commit(epoch=1)]).line is None
    assert judged([*sent, ev(3, "dispatch", "sent", 0), commit(epoch=1)]).line == 4
