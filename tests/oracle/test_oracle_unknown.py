"""Answers that never came: what one way of filling them in allows, leaving them open allows too."""

import itertools
import random
from collections.abc import Callable
from typing import Any

from fencebench.checker.oracle.replay.replay import Verdict

Line = dict[str, Any]


def random_log(chance: random.Random) -> list[Line]:
    """A short log of one or two shards with answers at random, three of them lost."""
    lines: list[Line] = []
    for t in range(1, 11):
        op, good = chance.choice(ANSWERS)
        fields: Line = {"t": 5 * t, "op": op, "shard": chance.choice([3, 3, 4]), "epoch": chance.randrange(2)}
        fields |= {"tokens": 900, "digest": chance.choice("ab"), "expires": 5 * t + 20}
        lines.append({**fields, "outcome": good if chance.random() < 0.8 else "refused"})
    for line in chance.sample(lines, 3):
        line["outcome"] = "no_reply"
    return lines


ANSWERS = (
    ("lease.grant", "granted"),
    ("lease.grant", "granted"),
    ("ledger.reserve", "reserved"),
    ("store.put", "created"),
    ("store.put", "created"),
    ("ledger.commit", "committed"),
    ("store.delete", "deleted"),
)


def filled(lines: list[Line], took_effect: tuple[bool, ...]) -> list[Line]:
    truths = iter(took_effect)
    return [{**line, "applied": next(truths)} if line["outcome"] == "no_reply" else line for line in lines]


def test_an_open_answer_allows_whatever_one_of_its_fillings_allows(judged: Callable[..., Verdict]) -> None:
    reached = 0
    for seed in range(200):
        lines = random_log(random.Random(seed))
        opened = judged(lines)
        ends = [judged(filled(lines, truths)).line for truths in itertools.product((True, False), repeat=3)]
        if None in ends:
            reached += 1
            assert opened.line is None, (seed, opened.why)
        elif opened.line is not None:
            assert opened.line >= max(line for line in ends if line is not None), seed
    assert reached > 3


def test_an_answer_about_the_ceiling_settles_what_another_shard_holds(judged: Callable[..., Verdict]) -> None:
    lost: Line = {"t": 1, "op": "ledger.reserve", "shard": 3, "epoch": 0, "tokens": 3000, "outcome": "no_reply"}
    other: Line = {**lost, "t": 2, "shard": 4, "tokens": 10, "outcome": "reserved"}
    again: Line = {**lost, "t": 3, "outcome": "refused", "reason": "ALREADY_RESERVED"}
    assert judged([lost, again]).line is None
    assert judged([lost, other, again]).rule == "already_reserved"
    full: Line = {**other, "outcome": "refused", "reason": "OVER_CEILING"}
    assert judged([lost, full, again]).line is None
    fresh: Line = {**again, "outcome": "refused", "reason": "CONFLICT", "tokens": 5}
    assert judged([lost, full, fresh]).line is None
