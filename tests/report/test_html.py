"""The page of --html in a real browser: it loads from a file, steps, addresses a step, and lets nothing else run."""

import base64
import json
import re
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from fencebench.checker.cli.main import main
from fencebench.checker.report.html.page import Page, Sheet, as_html
from fencebench.checker.report.html.stories import Shown
from fencebench.checker.report.picture import as_dot
from fencebench.checker.report.picture.render import render
from fencebench.checker.report.picture.smaller import smaller
from tests.browser import browser, said, text
from tests.stories import STORIES, unruly

__all__ = ["browser"]

BOUND = ["--shards", "1", "--epochs", "1", "--faults", "1", "--ceiling", "1850"]
EVIL = "</script><script>document.title='run'</script><img src=x onerror=\"document.title='run'\">"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    assert main(["check", "shard-keyed", *BOUND, "--stop-at", "all", "--html", str(path), "--format", "json"]) == 1
    return path


def unpacked(path: Path) -> list[dict[str, object]]:
    packed = re.findall(r'id="packed-\d+">([^<]+)<', path.read_text(encoding="utf-8"))
    return [json.loads(zlib.decompress(base64.b64decode(one), -zlib.MAX_WBITS)) for one in packed]


def ready(browser: WebDriver) -> None:
    WebDriverWait(browser, 20).until(lambda b: b.find_element(By.ID, "story").get_attribute("aria-busy") == "false")


def look(browser: WebDriver, path: Path, at: str = "") -> None:
    browser.get("about:blank")
    browser.get(path.as_uri() + at)
    ready(browser)


def press(browser: WebDriver, *keys: str) -> None:
    ActionChains(browser).send_keys(*keys).perform()


def test_a_page_is_one_file_with_the_verdict_first(page: Path) -> None:
    whole = page.read_text(encoding="utf-8")
    assert whole.index("violated") < whole.index("<nav")
    assert not re.search(r'(src|href)="(?!data:)', whole)
    assert "default-src &#39;none&#39;" in whole or "default-src 'none'" in whole
    stories = unpacked(page)
    assert len(stories) > 3
    for story in stories:
        assert len(story["steps"]) == len(story["choices"]) == len(story["states"]) - 1  # type: ignore[arg-type]
        assert json.loads(str(story["itf"]))["#meta"]["format"] == "ITF"


def test_a_story_is_stepped_by_keys_buttons_and_the_slider(browser: WebDriver, page: Path) -> None:
    look(browser, page)
    last = text(browser, "#where")
    assert re.fullmatch(r"step (\d+) of \1", last)
    assert text(browser, "#why")
    press(browser, Keys.HOME)
    assert text(browser, "#where").startswith("step 0 of")
    press(browser, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert text(browser, "#where").startswith("step 2 of")
    assert text(browser, "#head").startswith("2. ")
    assert browser.find_elements(By.CSS_SELECTOR, "#state tr.changed")
    assert browser.find_elements(By.CSS_SELECTOR, "#choices tr")
    assert len(browser.find_elements(By.CSS_SELECTOR, "#picture svg .here")) == 1
    browser.find_element(By.ID, "back").click()
    assert text(browser, "#where").startswith("step 1 of")
    slider = browser.find_element(By.ID, "slider")
    slider.send_keys(Keys.ARROW_RIGHT)
    assert text(browser, "#where").startswith("step 2 of")
    assert said(browser) == []


def test_play_goes_through_to_the_end(browser: WebDriver, page: Path) -> None:
    look(browser, page)
    steps = text(browser, "#where").split()[-1]
    press(browser, Keys.HOME, *[Keys.ARROW_RIGHT] * (int(steps) - 2), " ")
    WebDriverWait(browser, 10).until(lambda b: text(b, "#where") == f"step {steps} of {steps}")
    WebDriverWait(browser, 10).until(lambda b: b.find_element(By.ID, "play").get_attribute("aria-pressed") == "false")


def test_an_address_names_a_story_and_a_step(browser: WebDriver, page: Path) -> None:
    look(browser, page, "#shard-keyed/billed_once/3")
    assert text(browser, "#where").startswith("step 3 of")
    assert "billed_once" in text(browser, "#figures")
    assert browser.current_url.endswith("#shard-keyed/billed_once/3")
    press(browser, "n")
    WebDriverWait(browser, 10).until(lambda b: "billed_once" not in text(b, "#figures"))
    assert said(browser) == []


def test_the_rule_that_would_have_stopped_it_is_marked_at_its_boundary(browser: WebDriver, page: Path) -> None:
    look(browser, page, "#shard-keyed/lease_gates_writes/1")
    names = [part.text for part in browser.find_elements(By.CSS_SELECTOR, "#fence h3")]
    assert names == ["reserve", "resume", "call", "write", "put", "commit", "consume", "publish"]
    assert browser.find_elements(By.CSS_SELECTOR, "#fence li.missing")


@pytest.mark.parametrize("name", STORIES)
def test_a_story_of_any_shape_is_shown_whole(browser: WebDriver, tmp_path: Path, name: str) -> None:
    story = STORIES[name]()
    path = tmp_path / "one.html"
    path.write_text(as_html(Page(name, "violated", "", False, "again", stories=[Shown("story", story)])))
    look(browser, path, "#story/1")
    assert text(browser, "#where") == f"step {min(1, len(story.steps))} of {len(story.steps)}"
    assert said(browser) == []


def test_a_log_is_stepped_through_up_to_its_divergence(browser: WebDriver, tmp_path: Path) -> None:
    grant = '{"t": %s, "op": "lease.grant", "run": 7, "shard": "a", "epoch": 0, "expires": 400, "holder": "%s"%s}'
    opened, granted = '{"t": 0, "op": "run.open", "run": 7, "shards": ["a"]}', ', "outcome": "granted"'
    log, path = tmp_path / "log.jsonl", tmp_path / "log.html"
    log.write_text("\n".join([opened, grant % (1, "one", granted), grant % (2, "two", granted)]) + "\n")
    assert main(["oracle", "replay", str(log), "--picture", str(path)]) == 1
    look(browser, path)
    assert text(browser, "#where") == "step 2 of 2"
    assert "Line 3" in text(browser, "#why")
    assert text(browser, "#state tbody") == "a log has no states"
    assert said(browser) == []


def evil(policy: bool, tmp_path: Path) -> Path:
    odd = replace(unruly(), title=EVIL, why=EVIL, rule=EVIL, fence=EVIL, reproduce=(EVIL,))
    sheets = [Sheet(EVIL, (EVIL,), [(EVIL,)])]
    page = Page(EVIL, EVIL, EVIL, False, EVIL, [(EVIL, EVIL)], sheets, [Shown(EVIL, odd, itf=EVIL)])
    whole = as_html(page)
    path = tmp_path / f"evil-{policy}.html"
    path.write_text(whole if policy else re.sub(r"<meta http-equiv[^>]*>", "", whole))
    return path


def test_markup_in_a_name_is_text_even_without_the_policy(browser: WebDriver, tmp_path: Path) -> None:
    for policy in (True, False):
        look(browser, evil(policy, tmp_path))
        assert browser.title != "run"
        assert text(browser, "#why") == EVIL
        assert not browser.find_elements(By.CSS_SELECTOR, "img")


def test_the_policy_stops_what_escaping_would_have_let_through(browser: WebDriver, tmp_path: Path) -> None:
    whole = as_html(Page("plain", "violated", "", False, "again", stories=[Shown("story", STORIES["tiny"]())]))
    path = tmp_path / "let-through.html"
    path.write_text(whole.replace("<header>", f"{EVIL.removeprefix('</script>')}<header>"))
    look(browser, path)
    assert browser.title != "run"
    assert any("Content Security Policy" in line for line in said(browser))


@pytest.mark.parametrize("name", ["zombie", "unruly", "still"])
def test_a_small_svg_is_the_same_picture_to_the_dot(browser: WebDriver, tmp_path: Path, name: str) -> None:
    as_drawn = render(as_dot(STORIES[name]()), "svg")
    shots = []
    for number, drawn in enumerate((as_drawn, smaller(as_drawn))):
        path = tmp_path / f"{number}.svg"
        path.write_bytes(drawn)
        browser.get(path.as_uri())
        shots.append(browser.get_screenshot_as_png())
    assert shots[0] == shots[1]
    assert 2 * path.stat().st_size < len(as_drawn)
