"""The explorer, asked as a browser asks it, and in a real browser."""

import json
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from fencebench.checker.cli.main import main
from fencebench.checker.errors import BadInput
from fencebench.checker.explorer.place import numbers, written
from fencebench.checker.explorer.run import Subject, compared, trace_of
from fencebench.checker.explorer.seek import END, VIOLATION, goals, search
from fencebench.model.fences import REFERENCE, SHARD_KEYED
from fencebench.model.settings import Bound, Settings
from tests.browser import browser, said, text

__all__ = ["browser"]

BOUND = ["--shards", "1", "--epochs", "1", "--faults", "1", "--ceiling", "1850"]


def subject(fence: object = SHARD_KEYED, **shape: int) -> Subject:
    return Subject(fence, Bound(**{"epochs": 1, "faults": 1, **shape}), Settings())  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    command = [sys.executable, "-m", "fencebench", "explore", "shard-keyed", *BOUND, "--with", "reference"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()


def fetched(url: str) -> str:
    with urllib.request.urlopen(url, timeout=20) as answer:
        return str(answer.read().decode())


def status(address: str, path: str, method: str = "GET", host: str = "") -> int:
    parts = urlsplit(address)
    connection = HTTPConnection(parts.netloc, timeout=10)
    connection.request(method, path, headers={"Host": host or parts.netloc})
    found = connection.getresponse().status
    connection.close()
    return found


def test_an_address_is_the_list_of_choices() -> None:
    desk = subject().desk
    place = desk.at("0-0-0")
    assert len(place.trace) == 3
    assert desk.at(written(place.choices)).state == place.state
    assert [*numbers(written([0, 35, 36, 700]))] == [0, 35, 36, 700]
    for wrong in ("99", "x y", "0-", "../..", "-1", "0-" * 500, "ÿ"):
        with pytest.raises(BadInput):
            desk.at(wrong)


def test_the_nearest_violation_is_as_cheap_as_the_checker_says(capsys: pytest.CaptureFixture[str]) -> None:
    desk = subject().desk
    *_, found = search(desk.start, VIOLATION)
    place = desk.at(str(found))
    main(["check", "shard-keyed", *BOUND, "--format", "json"])
    properties = json.loads(capsys.readouterr().out)["runs"][0]["properties"].values()
    cheapest = min((p["faults"], p["steps"]) for p in properties if p["verdict"] == "violated")
    assert (desk.machine.faults(place.state.shared), len(place.trace)) == cheapest
    assert place.broken[-1][0] == len(place.trace)


def test_there_is_no_violation_where_the_fence_holds() -> None:
    desk = subject(REFERENCE).desk
    assert [*search(desk.start, VIOLATION)][-1] is None


def test_an_end_and_a_witness_are_found() -> None:
    desk = subject(REFERENCE, epochs=2).desk
    *_, end = search(desk.start, END)
    assert end
    assert all(option.nothing or option.step.event.fault for option in desk.at(str(end)).options)
    wanted = next(name for name in goals(desk) if name.startswith("witness"))
    assert [*search(desk.start, wanted)]


def test_another_fence_is_compared_choice_by_choice() -> None:
    mine = subject(REFERENCE.without("put.lease_over"))
    desk = mine.desk
    *_, found = search(desk.start, VIOLATION)
    assert "LEASE_EXPIRED (by put.lease_over)" in compared(desk.at(str(found)), subject(REFERENCE).desk)
    assert compared(desk.start, subject(REFERENCE).desk) == "it answers the same so far"


def test_a_saved_run_is_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = subject()
    *_, found = search(mine.desk.start, VIOLATION)
    for name, at in (("broken", str(found)), ("whole", "0-0")):
        path = tmp_path / f"{name}.itf.json"
        path.write_text(trace_of(mine, mine.desk.at(at)), encoding="utf-8")
        assert main(["replay", str(path)]) == (1 if name == "broken" else 0), capsys.readouterr()


def test_only_who_has_the_token_is_served(address: str) -> None:
    path = f"{urlsplit(address).path}?at="
    assert status(address, path) == 200
    assert status(address, "/") == 404
    assert status(address, f"/guess{path[path.index('/', 1) :]}") == 404
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        assert status(address, path, method) == 405
    for host in ("evil.example", "127.0.0.1.evil.example", "0.0.0.0"):
        assert status(address, path, host=host) == 400
    for at in ("zz", "<script>", "..%2F", "0-" * 999):
        assert status(address, f"{path}{at}") in (200, 400)


def test_every_answer_has_the_policy(address: str) -> None:
    with urllib.request.urlopen(address, timeout=20) as answer:
        policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "script-src" not in policy
    assert "unsafe" not in policy


def test_a_note_in_the_address_is_text(address: str) -> None:
    whole = fetched(f"{address}&note=%3Cscript%3Ealert(1)%3C/script%3E")
    assert "<script" not in whole
    assert "&lt;script&gt;" in whole


def test_a_click_is_answered_within_a_tenth_of_a_second(address: str) -> None:
    url = f"{address}0-0-0"
    fetched(url)
    taken = []
    for _ in range(5):
        begun = time.perf_counter()
        fetched(url)
        taken.append(time.perf_counter() - begun)
    assert min(taken) < 0.1, taken


def test_a_person_steps_undoes_jumps_and_compares(browser: WebDriver, address: str) -> None:
    browser.get(address)
    assert text(browser, "h2").startswith("step 1")
    browser.find_element(By.CSS_SELECTOR, "a.choice").click()
    assert text(browser, "h2").startswith("step 2")
    assert browser.find_element(By.TAG_NAME, "img").get_property("naturalWidth")
    browser.find_element(By.CSS_SELECTOR, "a.choice").click()
    browser.back()
    assert text(browser, "h2").startswith("step 2")
    browser.find_element(By.ID, "undo").click()
    assert text(browser, "h2").startswith("step 1")
    browser.find_element(By.ID, "violation").click()
    WebDriverWait(browser, 30).until(lambda b: "found" in text(b, ".note"))
    assert re.search(r"step \d+ breaks \w+", text(browser, "header .bad"))
    assert text(browser, "#other").startswith("reference: ")
    assert said(browser) == []
