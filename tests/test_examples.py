"""The examples of `docs/python.md` are what Python answers."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "python.md"
BLOCK = re.compile(r"^```python\n(>>> .*?)^```$", re.M | re.S)


def test_every_example_of_the_page_is_real(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = "".join(BLOCK.findall(PAGE.read_text(encoding="utf-8")))
    test = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    ran = doctest.DocTestRunner().run(test)
    assert (ran.failed, ran.attempted > 30) == (0, True)
