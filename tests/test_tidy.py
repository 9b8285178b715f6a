"""Promises about the code itself."""

import re
import tomllib
from pathlib import Path

import pytest

from fencebench.model import build as composition
from fencebench.model.fence import Refusal
from fencebench.model.fences import EXPECTED, FENCES
from fencebench.model.machines import shared
from fencebench.model.promises import refusals
from fencebench.model.promises.catalogue import NAMES, PROMISES

ROOT = Path(__file__).parent.parent
SOURCES = sorted([*ROOT.glob("model/**/*.py"), *ROOT.glob("checker/**/*.py")])


@pytest.mark.parametrize("function", [c.fails for p in PROMISES for c in p.claims], ids=lambda f: f.__name__)
def test_every_property_has_a_claim_and_its_source(function: object) -> None:
    assert function.__doc__
    if function.__module__ != refusals.__name__:  # one claim, split by boundary; its source is the module's
        assert "Source:" in function.__doc__


def test_the_classes_of_refusals_have_their_source() -> None:
    assert "design section 4" in (refusals.__doc__ or "")


def test_every_action_has_a_docstring() -> None:
    actions = [*composition.ONCE, *composition.EACH_EPOCH, *composition.FAULTS_ONCE, *composition.SHARED]
    assert [a.__name__ for a in actions if not a.__doc__] == []
    assert shared.publish in actions


def test_every_fence_is_expected_and_every_expectation_is_a_promise() -> None:
    assert set(FENCES) == set(EXPECTED)
    assert {name for e in EXPECTED.values() for name in e.broken} <= set(NAMES)


def test_every_rule_says_what_it_refuses() -> None:
    rules = [rule for fence in FENCES.values() for _, rule in fence.rules()]
    assert [r.name for r in rules if not r.applies.__doc__] == []
    assert {r.refusal for r in rules} <= set(Refusal)


def test_every_dependency_says_why() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    named = tomllib.loads(text)
    for requirement in (*named["project"]["dependencies"], *named["dependency-groups"]["dev"]):
        assert re.search(rf'"{re.escape(requirement)}",\s+# \w', text), requirement


def test_nothing_names_a_machine_or_a_registry() -> None:
    for path in (*SOURCES, ROOT / "pyproject.toml", ROOT / "README.md"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"/(home|root|work)/|pypi\.org|registry\.", text), path
