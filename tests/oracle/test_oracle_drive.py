import json
import sys
import time
from pathlib import Path

import pytest

from fencebench.checker.cli.main import main
from fencebench.checker.oracle.drive.drive import Bench, drive
from fencebench.checker.oracle.drive.process import Broken, Process
from fencebench.checker.oracle.drive.requests import covering_requests, drifted, walked_requests
from fencebench.checker.oracle.log.ops import OPS
from fencebench.checker.oracle.replay.modes import SOUND
from fencebench.model.fences import REFERENCE

OPEN = {"t": 0, "op": "run.open", "run": 1, "shards": [0], "ceiling": 100}
RESERVE = {"t": 1, "op": "ledger.reserve", "run": 1, "shard": 0, "epoch": 0, "tokens": 50}
GRANT = {"t": 2, "op": "lease.grant", "run": 1, "shard": 0, "epoch": 0, "expires": 9}
REQUESTS = (OPEN, RESERVE, GRANT, {**RESERVE, "t": 3, "epoch": 1}, {**RESERVE, "t": 4, "epoch": 2, "tokens": 99})


def script(body: str) -> tuple[str, ...]:
    """A process that binds each request to `r` and prints what `body` assigns to `a`."""
    loop = "import json, sys, time, os\nfor line in sys.stdin:\n    r = json.loads(line)\n    a = {'outcome': 'ok'}\n"
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return (sys.executable, "-c", f"{loop}{lines}    print(a if isinstance(a, str) else json.dumps(a), flush=True)")


WORDS = {op: (*about.accepts, *about.observes, "ok")[0] for op, about in OPS.items()}
YES = f"a = {{'outcome': {WORDS!r}[r['op']]}}"


def bench(body: str, timeout_seconds: float = 5) -> Bench:
    return Bench(script(body), timeout_seconds, SOUND)


def test_the_first_divergence_is_shrunk_to_the_requests_that_it_needs() -> None:
    driven = drive(bench(YES), [REQUESTS])
    assert driven.fault is not None
    assert driven.fault.verdict is not None
    assert driven.fault.verdict.rule == "over_ceiling"
    assert [line["op"] for line in driven.fault.log] == ["run.open", "lease.grant", "ledger.reserve", "ledger.reserve"]
    assert driven.first == 5


@pytest.mark.parametrize(
    ("body", "how", "text"),
    [
        ("time.sleep(9)", "hang", "no answer within 0.5 s"),
        ("if r['op'] != 'run.open': os._exit(7)", "crash", "exit code 7"),
        ("if r['op'] != 'run.open': os.kill(os.getpid(), 9)", "crash", "by signal 9"),
        ("a = 'hello' if r['op'] != 'run.open' else a", "garbage", "expected one JSON object, found 'hello'"),
        ("a = '[1]'", "garbage", "expected one JSON object"),
        ("a = {'outcome': 'yes'}", "garbage", "expected an outcome of reserved, refused"),
        ("a = {'outcome': 'refused', 'reason': 7}", "garbage", "expected an outcome"),
    ],
)
def test_a_process_that_does_not_answer_is_reported_with_what_was_sent(body: str, how: str, text: str) -> None:
    driven = drive(bench(body, 0.5), [REQUESTS])
    assert driven.fault is not None
    assert driven.fault.broken is not None
    assert driven.fault.broken.how == how
    assert text in str(driven.fault.broken)
    assert '"op":' in str(driven.fault.broken)
    assert "\n" not in str(driven.fault.broken)


def test_a_process_and_what_it_started_are_ended() -> None:
    started = "import subprocess\nc = subprocess.Popen(['sleep', '60'])"
    command = script(f"{started}\na = {{'outcome': 'ok', 'reason': str(c.pid)}}")
    with Process(command, 5) as process:
        process.ask(OPEN)
        raw = process.ask({**RESERVE, "op": "store.tell"})
        child = int(raw["reason"])
    end = time.monotonic() + 5
    while runs(child) and time.monotonic() < end:
        time.sleep(0.01)
    assert not runs(child)


def runs(process: int) -> bool:
    stat = Path(f"/proc/{process}/stat")
    return stat.exists() and stat.read_text().split()[2] != "Z"


def test_an_answer_of_no_end_is_cut_off() -> None:
    command = (sys.executable, "-c", "print('x' * 9_000_000)")
    with Process(command, 5) as process, pytest.raises(Broken, match="more than"):
        process.ask(OPEN)


def test_the_same_seed_gives_the_same_walks() -> None:
    assert list(walked_requests(REFERENCE, 6, 3)) == list(walked_requests(REFERENCE, 6, 3))
    assert list(walked_requests(REFERENCE, 6, 3)) != list(walked_requests(REFERENCE, 6, 4))


def test_walks_repeat_requests_and_send_other_content_under_the_same_key() -> None:
    runs = list(walked_requests(REFERENCE, 30, 0))
    assert any(str(request.get("digest", "")).endswith("-again") for run in runs for request in run)
    assert all(list(run) == sorted(run, key=lambda r: r["t"]) for run in runs)
    assert drifted(OPEN) == OPEN


def test_covering_runs_open_with_their_run() -> None:
    runs = list(covering_requests(REFERENCE))
    assert len(runs) > 200
    assert all(run[0]["op"] == "run.open" for run in runs)


def test_the_command_saves_what_went_wrong_and_drives_it_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = str(tmp_path / "found.jsonl")
    common = ["oracle", "drive", "--no-covering", "--runs", "4"]
    assert main([*common, "--save", saved, "--", *script(YES)]) == 1
    assert "reproduce" in capsys.readouterr().out
    assert main(["oracle", "replay", saved]) == 1
    assert main(["oracle", "drive", "--replay", saved, "--", *script(YES)]) == 1
    assert "judged by any sound policy" in capsys.readouterr().out


def test_exit_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in REQUESTS[:3]))
    replayed = ["oracle", "drive", "--replay", str(path), "--timeout-seconds", "0.5", "--"]
    assert main([*replayed, *script(YES)]) == 0
    assert main([*replayed, *script("a = {'outcome': 'no_reply'}")]) == 4
    assert main([*replayed, *script("time.sleep(9)")]) == 3
    assert main([*replayed, *script("os._exit(1)")]) == 1
    assert main([*replayed, "no-such-program-anywhere"]) == 2
    path.write_text("nonsense\n")
    assert main([*replayed, *script(YES)]) == 2
    assert "line 1" in capsys.readouterr().err
