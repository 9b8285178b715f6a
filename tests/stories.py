"""Stories made by hand: small enough to read, rich enough to use every sign of a picture."""

import re
from dataclasses import replace
from typing import Any, get_args

from fencebench.checker.report.story import Change, Clock, Lane, Lease, Story, StoryStep

LEDGER = Lane("ledger", "ledger", "Spend ledger", "ceiling 7400")
DRIVER = Lane("driver", "driver", "Driver", "the judging clock")
STORE = Lane("store", "store", "Artifact store", "one object an attempt")
MODEL = Lane("model", "model", "Model endpoint", "alias: r1")
REPORT = Lane("report", "report", "Report", "mean over shards")
STEP = re.compile(r"(-?\d+)(?:/(-?\d+))?(?: (\w))? (\S+?)(?:>(\S+))?: (.*?)(?: = (.*))?$")


def worker(shard: int, epoch: int, hosts: str) -> Lane:
    return Lane(f"worker {shard}/{epoch}", "worker", f"Worker epoch {epoch}", hosts, shard, epoch)


def lane_key(name: str) -> str:
    return f"worker {name}" if "/" in name else name


def change(line: str) -> Change:
    """`ledger.held: 0 > 1850 of 7400`."""
    where, _, values = line.partition(": ")
    part, _, field = where.partition(".")
    old, _, new = values.partition(" > ")
    return Change(part, field, old, new)


def lease(line: str) -> Lease:
    """`0/0 expired valid gone`: driver's clock, worker's own if it differs, gone if it has no host."""
    name, *rest = line.split()
    clocks: list[Clock] = [clock for clock in get_args(Clock) for word in rest if word == clock]
    ordered = sorted(clocks, key=rest.index)
    return Lease(lane_key(name), ordered[0], ordered[-1], rest[-1] != "gone")


class Tale:
    """Collects steps told in lines, numbering them.

    `17/-73 A 0/0>model: grade = 30 graded`: the driver's clock, the worker's, its host, sender, receiver, call, answer.
    """

    def __init__(self) -> None:
        self.steps: list[StoryStep] = []

    def __call__(self, line: str, *changed: str, leases: str = "", **more: Any) -> None:
        found = STEP.match(line)
        assert found, line
        at, own, host, source, target, label, answer = found.groups()
        attempt = next((name for name in (source, target) if name and "/" in name), None)
        shard, epoch = map(int, attempt.split("/")) if attempt else (None, None)
        step = StoryStep(
            number=len(self.steps) + 1,
            action=label.split("(")[0],
            source=lane_key(source),
            target=lane_key(target) if target else None,
            label=label,
            detail="",
            answer=answer or "",
            driver_seconds=int(at),
            worker_seconds=int(own) if own else None,
            host=host,
            shard=shard,
            epoch=epoch,
            changed=tuple(map(change, changed)),
            leases=tuple(map(lease, filter(None, leases.split(", ")))),
        )
        self.steps.append(replace(step, **more))


def zombie() -> Story:
    """Two attempts of one shard are booked, since the first one's clock is slow: 17 steps."""
    tell = Tale()
    held = "ledger.held: 0 > 1850 of 7400", "ledger.held: 1850 > 3700 of 7400"
    booked = "ledger.committed: 0 > 1850 of 7400", "ledger.committed: 1850 > 3700 of 7400"
    cases, gone, back = "50 cases", "host A taken at 39 of 50", "on host B, from memory: 39"
    broken, others = ("one_accepted_artifact", "billed_once"), ("driver observe", "worker e0 stop", "driver crash")
    tell(
        "0 driver>ledger: grant(epoch 0) = RESERVED",
        "ledger.epoch: none > 0",
        held[0],
        epoch=0,
        leases="0/0 valid gone",
    )
    tell("1/1 driver>0/0: dispatch = ACK", "worker e0.phase: none > loaded", detail=cases, leases="0/0 valid")
    tell("2/-88 A 0/0: CLOCK SKEW", "worker e0.clock offset: 0 > −90 s", detail="90 s slow", fault="skew")
    tell("17/-73 A 0/0>model: grade 0–30 = 30 graded", "worker e0.checkpoint: none > 30", "worker e0.drawn: 0 > 1110")
    tell("22/-68 A 0/0>model: grade 30–39 = 9 graded", "worker e0.graded: 30 > 39 of 50")
    tell(
        "25/-65 A 0/0: PREEMPTED",
        "worker e0.process: running > gone",
        detail=gone,
        fault="preempt",
        leases="0/0 valid gone",
    )
    tell(
        *("300/210 driver: lease 0 over", "lease e0.driver's clock: valid > expired"),
        detail="by the driver's clock",
        epoch=0,
        margin_seconds=210,
        leases="0/0 expired valid gone",
    )
    tell(
        "301 driver>ledger: grant(epoch 1) = RESERVED", "ledger.epoch: 0 > 1", held[1], epoch=1, leases="0/1 valid gone"
    )
    tell("302/302 driver>0/1: dispatch = ACK", "worker e1.phase: none > loaded", detail=cases, leases="0/1 valid")
    tell("330/330 C 0/1>model: grade 0–50 = 50 graded", "worker e1.graded: 0 > 50 of 50")
    tell("331/331 C 0/1>store: put(epoch 1) = STORED", "store.artifacts: 0 > 1")
    tell("332/332 C 0/1>ledger: commit(epoch 1)", "network.in flight: 0 > 1", arrives_at=17)
    tell("333/243 B 0/0: RESUMES", "worker e0.process: gone > running", detail=back, leases="0/0 expired valid")
    tell("340/250 B 0/0>model: grade 39–50 = 11 graded", "worker e0.graded: 39 > 50 of 50")
    tell("341/251 B 0/0>store: put(epoch 0) = STORED", "store.artifacts: 1 > 2")
    stale = ("commit.stale_epoch", "STALE_EPOCH")
    tell("343/253 B 0/0>ledger: commit(epoch 0) = COMMITTED", "ledger.receipts: 0 > 1", booked[0], bites=stale)
    tell(
        *("345/345 C 0/1>ledger: commit(epoch 1) = COMMITTED", "ledger.receipts: 1 > 2", booked[1]),
        sent_at=12,
        enabled=others,
        violated=broken,
    )
    return Story(
        title="Two attempts of one shard are booked, and the shard is billed twice",
        properties=broken,
        fence="worker-lease",
        fence_summary="the worker alone looks at its lease",
        bound="1 shard, 2 epochs, a fault sum of 2",
        faults=2,
        minimal=True,
        lanes=(REPORT, MODEL, STORE, worker(0, 1, "host C"), worker(0, 0, "host A, then B"), DRIVER, LEDGER),
        steps=tuple(tell.steps),
        why="The first attempt woke on a clock 90 s behind and took its lease for valid, so both attempts reached the "
        "ledger, which asked neither for the newest epoch nor for a receipt.",
        rule="commit.stale_epoch: the ledger books a commit only under the highest epoch granted; step 16 is refused.",
        reproduce=("fencebench check worker-lease --epochs 2 --faults 2", "fencebench render worker-lease.json"),
    )


def two_shards() -> Story:
    """Two shards in turn, with a lost answer, refusals, a late commit and three epochs: 36 steps."""
    tell = Tale()
    opening(tell)
    first_shard_dies(tell)
    late_commit(tell)
    return Story(
        title="A commit that was late by two leases is booked after the shard was sealed",
        properties=("no_stale_commit", "sealed_is_final", "billed_once"),
        fence="loose",
        fence_summary="no rule at commit looks at the epoch",
        bound="2 shards, 3 epochs, a fault sum of 4",
        faults=4,
        minimal=False,
        lanes=(
            *(LEDGER, DRIVER, worker(1, 0, "host D"), worker(1, 1, "never granted"), worker(0, 2, "host E")),
            *(worker(0, 1, "host C"), worker(0, 0, "host A, then B"), STORE, MODEL, REPORT),
        ),
        steps=tuple(tell.steps),
        why="The commit of epoch 1 stayed in flight from step 24 to step 36, and nothing at the ledger noticed that "
        "epoch 2 had been booked.",
        rule="commit.sealed: a shard that has its receipt takes no other.",
        reproduce=("fencebench check loose --shards 2 --epochs 3 --faults 4",),
    )


def opening(tell: Tale) -> None:
    for s, at in ((0, 0), (1, 2)):
        held = f"ledger.held: {s * 1850} > {s * 1850 + 1850} of 7400"
        tell(f"{at} driver>ledger: grant(s{s}, e0) = RESERVED", held, epoch=0, leases=f"{s}/0 valid gone")
        loaded = f"worker s{s}e0.phase: none > loaded"
        tell(f"{at + 1} driver>{s}/0: dispatch(s{s}, e0) = ACK", loaded, leases=f"{s}/0 valid")
    tell("4/-86 A 0/0: CLOCK SKEW", "worker s0e0.clock offset: 0 > −90 s", fault="skew")
    for k in range(0, 30, 10):
        graded = f"{k} > {k + 10} of 50"
        tell(f"{8 + k}/{k - 82} A 0/0>model: grade {k}–{k + 10} = 10 graded", f"worker s0e0.graded: {graded}")
        tell(f"{9 + k}/{9 + k} D 1/0>model: grade {k}–{k + 10} = 10 graded", f"worker s1e0.graded: {graded}")


def first_shard_dies(tell: Tale) -> None:
    gone = "worker s0e0.process: running > gone"
    tell("40/-50 A 0/0: PREEMPTED", gone, detail="at 30 of 50", fault="preempt", leases="0/0 valid gone")
    tell("44/44 D 1/0>model: grade 30–50 = 20 graded", "worker s1e0.graded: 30 > 50 of 50")
    tell("45/45 D 1/0>store: put(s1, e0) = STORED", "store.artifacts of s1: 0 > 1")
    booked = "ledger.committed: 0 > 1850 of 7400", "ledger.held: 3700 > 1850 of 7400", "ledger.receipt epoch: none > 0"
    receipt, linked = "ledger.receipts of s1: 0 > 1", "ledger.linked: none > 0"
    tell("46/46 D 1/0>ledger: commit(s1, e0) = COMMITTED", receipt, *booked, linked, fault="lose_reply")
    tell("50/50 D 1/0>ledger: commit(s1, e0) = ALREADY_COMMITTED")
    tell("51/51 D 1/0: stop", "worker s1e0.process: running > gone", leases="1/0 none gone")
    tell("52 driver>ledger: read(s1) = receipt e0", "driver.s1: waiting > done", shard=1)
    over, now = "lease s0e0.driver's clock: valid > expired", "0/0 expired valid gone"
    tell("300 driver: lease s0e0 over", over, epoch=0, margin_seconds=210, leases=now)


def late_commit(tell: Tale) -> None:
    tell("301 driver>ledger: grant(s0, e1) = RESERVED", "ledger.epoch of s0: 0 > 1", epoch=1, leases="0/1 valid gone")
    tell("302/302 driver>0/1: dispatch(s0, e1) = ACK", "worker s0e1.phase: none > loaded", leases="0/1 valid")
    tell("320/320 C 0/1>model: grade 0–50 = 50 graded", "worker s0e1.graded: 0 > 50 of 50")
    tell("321/321 C 0/1>store: put(s0, e1) = STORED", "store.artifacts of s0: 0 > 1")
    tell("322/322 C 0/1>ledger: commit(s0, e1)", "network.in flight: 0 > 1", fault="late", arrives_at=36)
    over = "lease s0e1.driver's clock: valid > expired"
    tell("601/601 driver: lease s0e1 over", over, epoch=1, margin_seconds=511, leases="0/1 expired")
    tell("602 driver>ledger: grant(s0, e2) = RESERVED", "ledger.epoch of s0: 1 > 2", epoch=2, leases="0/2 valid gone")
    tell("603/603 driver>0/2: dispatch(s0, e2) = ACK", "worker s0e2.phase: none > loaded", leases="0/2 valid")
    back, runs = "on host B, from memory: 30", "worker s0e0.process: gone > running"
    tell("604/514 B 0/0: RESUMES", runs, detail=back, leases="0/0 expired margin")
    stops = "worker s0e0.process: running > gone"
    tell("605/515 B 0/0: check lease = LEASE_MARGIN", stops, refused=True, leases="0/0 expired margin gone")
    tell("620/620 E 0/2>model: grade 0–50 = 50 graded", "worker s0e2.graded: 0 > 50 of 50")
    tell("621/621 E 0/2>store: put(s0, e2) = STORED", "store.artifacts of s0: 1 > 2")
    booked = "ledger.receipts of s0: 0 > 1", "ledger.committed: 1850 > 3700 of 7400"
    tell("622/622 E 0/2>ledger: commit(s0, e2) = COMMITTED", *booked)
    tell("623 report>ledger: consume(s0) = receipt e2", "report.consumed: s1 > s0, s1")
    tell("624 report>store: fetch(s0) = CONFLICT", refused=True)
    tell("625 report: publish = PRINTED", "report.printed: no > yes", detail="mean over 2 shards")
    tell(
        *("626/626 C 0/1>ledger: commit(s0, e1) = COMMITTED", "ledger.receipts of s0: 1 > 2"),
        *("ledger.committed: 3700 > 5550 of 7400",),
        enabled=tuple(f"step {k}" for k in range(9)),
        violated=("no_stale_commit", "sealed_is_final", "billed_once"),
        bites=("commit.sealed", "SEALED"),
        sent_at=24,
    )


def tiny() -> Story:
    """One step and one cause."""
    tell = Tale()
    tell("0 driver>ledger: reserve = RESERVED", "ledger.held: 0 > 9000 of 7400", violated=("spend_under_ceiling",))
    lanes = (LEDGER, DRIVER, worker(0, 0, "never granted"), STORE, MODEL)
    head = ("A hold passes the ceiling", ("spend_under_ceiling",), "open", "", "1 shard", 0, True)
    return Story(*head, lanes, tuple(tell.steps), "No rule asks for the ceiling.")


def still() -> Story:
    """No step at all: the promise is broken from the start."""
    return replace(tiny(), title="The first state is wrong", steps=())


ODD = 'a<b & "c" > d'
LONG = "commit_the_artifact_of_a_very_long_winded_attempt/with/a/path.json"


def unruly() -> Story:
    """Long words, markup, escapes and letters that no font of ours has."""
    tell = Tale()
    markup = Change("ledger", "held &lt;", "", "<b>9</b> of \\N")
    tell(f"-5 driver>0/0: {LONG} = {ODD}", detail=ODD * 3, changed=(markup,), epoch=0, leases="0/0 margin expired")
    odd = tuple(Change(f"part {k}", LONG, "old", f"{ODD} \\") for k in range(6))
    tell(f"123456 0/0: {'W' * 60} = {'REFUSED_' * 8}", changed=odd, fault="pre<empt>", host="中 host")
    broken = (LONG, "x" * 90, ODD)
    tell(
        *("123457 0/0>driver: 日本 (one (two) three = no",),
        refused=True,
        violated=broken,
        bites=(ODD, "A&B"),
        enabled=(ODD, LONG),
    )
    lanes = (DRIVER, Lane("worker 0/0", "worker", LONG, ODD, 0, 0))
    head = (f"{ODD} {LONG} " * 3, (LONG, ODD), ODD, LONG, ODD, 1, False)
    return Story(*head, lanes, tuple(tell.steps), f"{ODD} " * 20, "<rule>", ("run " + "x " * 120, "<end>"))


def crowd() -> Story:
    """Four shards, each granted three times: as many lanes as a picture must hold, margins that last long."""
    tell = Tale()
    attempts = [(shard, epoch) for epoch in range(3) for shard in range(4)]
    for k, (s, e) in enumerate(attempts):
        at = 900 * e + 4 * k
        granted = f"ledger.epoch of s{s}: {e} > {e + 1}"
        tell(
            f"{at} driver>ledger: grant(s{s}, e{e}) = RESERVED", granted, epoch=e, shard=s, leases=f"{s}/{e} valid gone"
        )
        tell(f"{at + 1} driver>{s}/{e}: dispatch(s{s}, e{e}) = ACK", leases=f"{s}/{e} valid")
        tell(f"{at + 2} A {s}/{e}>model: grade 0–50 = 50 graded")
        now, reply = f"{s}/{e} expired margin gone", "ALREADY_COMMITTED" if e else "COMMITTED"
        tell(f"{at + 3} {s}/{e}>ledger: commit(s{s}, e{e}) = {reply}", leases=now, margin_seconds=at + 2)
    tell("4000 report: publish = PRINTED", violated=("denominator_is_shards",))
    lanes = (LEDGER, DRIVER, *(worker(s, e, "host A") for s, e in attempts), STORE, MODEL, REPORT)
    head = ("A crowd", ("denominator_is_shards",), "crowded", "", "4 shards, 3 epochs", 0, False)
    return Story(*head, lanes, tuple(tell.steps), "Too many rows were averaged.")


STORIES = {"zombie": zombie, "two_shards": two_shards, "tiny": tiny, "still": still, "unruly": unruly, "crowd": crowd}
