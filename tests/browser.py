"""A real Chromium for tests of pages; where there is none they are skipped and say why, under CI they fail."""

import os
import shutil
from collections.abc import Iterator

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By


@pytest.fixture(scope="module")
def browser() -> Iterator[WebDriver]:
    driver, chromium = shutil.which("chromedriver"), shutil.which("chromium") or shutil.which("google-chrome")
    if driver is None or chromium is None:
        why = "there is no chromium with chromedriver here (Debian: apt-get install chromium chromium-driver)"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(why)
    options = Options()
    options.binary_location = str(chromium)
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1400,900"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(driver))
    yield started
    started.quit()


def said(browser: WebDriver) -> list[str]:
    """Return what the browser complained of since it was last asked."""
    return [str(entry["message"]) for entry in browser.get_log("browser")]  # type: ignore[no-untyped-call]


def text(browser: WebDriver, selector: str) -> str:
    return browser.find_element(By.CSS_SELECTOR, selector).text
