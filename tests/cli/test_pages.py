"""What the README and the pages say is what the program prints."""

import re
from pathlib import Path

import pytest

from tests.pages import CONSOLE, CUT, PAGES, README, ROOT, ROW, TABLES, beside_files, cut, rerun, run, with_tables
from tests.quick import thorough

TEXTS = {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in PAGES}
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)")


@pytest.mark.parametrize("page", [name for name, text in TEXTS.items() if CONSOLE.search(text)])
def test_a_page_shows_what_is_printed(page: str, tmp_path: Path) -> None:
    with beside_files(TEXTS[page], tmp_path):
        for block in CONSOLE.findall(TEXTS[page]):
            assert rerun(block) == block


@pytest.mark.parametrize("page", TEXTS)
def test_the_tables_of_a_page_are_those_of_the_program(page: str) -> None:
    assert with_tables(TEXTS[page]) == TEXTS[page]


def test_every_table_stands_on_one_page() -> None:
    assert {name: sum(f"<!-- {name} -->" in text for text in TEXTS.values()) for name in TABLES} == dict.fromkeys(
        TABLES, 1
    )


@thorough
@pytest.mark.parametrize(("command", "code"), [row for text in TEXTS.values() for row in ROW.findall(text)])
def test_a_command_in_a_table_exits_as_its_row_says(command: str, code: str) -> None:
    exited, out = run(command.split())
    assert exited == int(code)
    promise = re.search(r"--property (\w+)", command)
    if exited == 1 and promise:
        assert f"VIOLATED {promise[1]}" in out or re.search(rf"^{promise[1]} +\d", out, re.M)


def test_the_pages_have_blocks_and_rows() -> None:
    assert sum(len(CONSOLE.findall(text)) for text in TEXTS.values()) >= 10
    assert len(ROW.findall(TEXTS["docs/when-you-need-it.md"])) == 8
    assert len(ROW.findall(TEXTS["docs/contradictions.md"])) == 6


@pytest.mark.parametrize("page", TEXTS)
def test_every_link_of_a_page_leads_to_a_file(page: str) -> None:
    folder = (ROOT / page).parent
    assert [link for link in LINK.findall(TEXTS[page]) if not (folder / link).exists()] == []


def test_the_index_names_every_page() -> None:
    index = TEXTS["docs/README.md"]
    assert {p.name for p in ROOT.glob("docs/*.md")} - {"README.md"} == set(re.findall(r"\]\(([\w-]+\.md)\)", index))


def test_the_readme_has_at_most_200_lines() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 200


def test_what_is_left_out_is_counted() -> None:
    page = "first\n[… 3 lines …]\nlast\n"
    assert cut("first\na\nb\nc\nlast\n", page) == page
    assert cut("first\na\nlast\n", page) == page.replace("3", "1")
    assert cut("other\na\nb\nc\nlast\n", page) != page
    assert cut("first\nlast\n", page) == "first\nlast\n"
    assert CUT.search(page)
