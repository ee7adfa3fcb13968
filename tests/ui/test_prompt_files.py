"""`@` in the prompt: the list of files, its keys, and what they write."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from fake_engine import FakeEngine
from idle import thread_held
from screen_text import screen_text, until
from textual.pilot import Pilot

from tui_agent.boundary import Engine
from tui_agent.tools.workspace import Workspace
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.engine import StartupPrompter
from tui_agent.ui.prompting import file_lists
from tui_agent.ui.prompting.history import PromptHistory
from tui_agent.ui.widgets.completions import Completions
from tui_agent.ui.widgets.prompt import Prompt

KEYS = {
    " ": "space",
    "/": "slash",
    "@": "at",
    '"': "quotation_mark",
    "~": "tilde",
    ".": "full_stop",
    "#": "number_sign",
}
FILES = ["README.md", "cart/refund.py", "cart/total.py", "docs/my notes.md", "tests/test_refund.py"]


class Files:
    """An app in a folder with some files."""

    def __init__(self, pilot: Pilot[object], engine: FakeEngine, root: Path) -> None:
        self.pilot = pilot
        self.engine = engine
        self.root = root
        self.prompt = pilot.app.screen.query_one(Prompt)

    @property
    def text(self) -> str:
        return self.prompt.text.text

    @property
    def names(self) -> list[str]:
        return self.prompt.completions.names

    async def write(self, text: str) -> None:
        await self.pilot.press(*(KEYS.get(letter, letter) for letter in text))

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def offered(self, *first: str) -> None:
        await until(self.pilot, lambda: self.names[: len(first)] == list(first))


@asynccontextmanager
async def files(folder: Path, names: list[str] | None = None, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Files]:
    root = folder / "work"
    root.mkdir()
    for name in FILES if names is None else names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x\n")
    engine = FakeEngine()
    engine.workspace = Workspace(root, home=folder / "home")

    async def connect(prompter: StartupPrompter) -> Engine:
        return engine

    app = TuiAgentApp(connect, history=PromptHistory(None))
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: ("start",) in engine.asked)
        yield Files(pilot, engine, root)


async def test_files_are_offered_while_they_are_typed_and_written_by_tab(tmp_path: Path) -> None:
    async with files(tmp_path) as at:
        await at.write("see @")
        await at.offered("cart/", "docs/", "tests/", "README.md")
        await at.write("ref")
        await at.offered("cart/refund.py", "tests/test_refund.py")
        await at.press("tab")
        assert at.text == "see @cart/refund.py "
        assert not at.prompt.completions.is_open
        await at.write("ok")
        await at.press("enter")
        assert at.engine.drafts[0].text == "see @cart/refund.py ok"


async def test_enter_takes_the_marked_file_and_then_sends(tmp_path: Path) -> None:
    async with files(tmp_path) as at:
        await at.write("@ref")
        await at.offered("cart/refund.py")
        await at.press("down", "enter")
        assert (at.text, at.engine.drafts) == ("@tests/test_refund.py ", [])
        await at.press("enter")
        assert at.engine.drafts[0].text == "@tests/test_refund.py"


async def test_a_name_that_is_there_already_is_sent_by_enter(tmp_path: Path) -> None:
    async with files(tmp_path) as at:
        await at.write("see @README.md")
        await at.offered("README.md")
        await at.press("enter")
        assert at.engine.drafts[0].text == "see @README.md"


async def test_a_folder_is_gone_into_by_tab_and_taken_by_enter(tmp_path: Path) -> None:
    async with files(tmp_path) as at:
        await at.write("@car")
        await at.offered("cart/")
        await at.press("tab")
        assert at.text == "@cart/"
        await at.offered("cart/refund.py", "cart/total.py")
        await at.press("down", "tab")
        assert at.text == "@cart/total.py "
        await at.write("@car")
        await at.offered("cart/")
        await at.press("enter")
        assert at.text == "@cart/total.py @cart/ "


async def test_a_name_with_blanks_is_quoted_and_found_inside_the_quotes(tmp_path: Path) -> None:
    async with files(tmp_path) as at:
        await at.write("@notes")
        await at.offered("docs/my notes.md")
        await at.press("tab")
        assert at.text == '@"docs/my notes.md" '
        await at.write('and @"docs/my n')
        await at.offered("docs/my notes.md")
        await at.press("tab")
        assert at.text == '@"docs/my notes.md" and @"docs/my notes.md" '


async def test_a_file_is_named_in_the_middle_of_a_text(tmp_path: Path) -> None:
    async with files(tmp_path) as at:
        await at.write("compare  with it")
        await at.press("home", *["right"] * 8)
        await at.write("@tot")
        await at.offered("cart/total.py")
        await at.press("tab")
        assert at.text == "compare @cart/total.py with it"
        await at.write("x")
        assert at.text == "compare @cart/total.py xwith it"


async def test_escape_closes_the_list_for_this_name_only(tmp_path: Path) -> None:
    async with files(tmp_path) as at:
        await at.write("@ref")
        await at.offered("cart/refund.py")
        await at.press("escape")
        await at.write("u")
        await at.pilot.pause()
        assert not at.prompt.completions.is_open
        assert ("interrupt",) not in at.engine.asked
        await at.write(" @tot")
        await at.offered("cart/total.py")


async def test_a_click_takes_a_file(tmp_path: Path) -> None:
    async with files(tmp_path) as at:
        await at.write("@ref")
        await at.offered("cart/refund.py", "tests/test_refund.py")
        await at.pilot.click(Completions, offset=(4, 1))
        assert at.text == "@tests/test_refund.py "
        assert at.prompt.text.has_focus


async def test_paths_elsewhere_are_offered_from_the_disk(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter.txt").write_text("x")
    (tmp_path / "beside.txt").write_text("x")
    async with files(tmp_path) as at:
        await at.write("@~/l")
        await at.offered("~/letter.txt")
        await at.press("tab")
        await at.write("@../bes")
        await at.offered("../beside.txt")
        await at.press("tab")
        await at.write(f"@{tmp_path}/bes")
        await at.offered(f"{tmp_path}/beside.txt")
        assert at.text.startswith("@~/letter.txt @../beside.txt @")


async def test_new_files_are_found_and_ignored_ones_are_not(tmp_path: Path) -> None:
    async with files(tmp_path) as at:
        subprocess.run(["git", "init", "-q", "."], cwd=at.root, check=True)
        (at.root / ".gitignore").write_text("*.log\n")
        (at.root / "out.log").write_text("x")
        await at.write("@out")
        await at.prompt.completer.settle()
        await at.write(" @total")
        await at.offered("cart/total.py")
        (at.root / "total_new.py").write_text("x")
        at.prompt.completer.files_changed()
        await at.write(" @total")
        await until(at.pilot, lambda: "total_new.py" in at.names)
        assert "out.log" not in at.names
        assert ".git/HEAD" not in at.names


async def test_what_was_worked_on_comes_first(tmp_path: Path) -> None:
    async with files(tmp_path) as at:
        at.engine.begin()
        use = at.engine.call("Read", {"file_path": f"{at.root}/tests/test_refund.py"})
        at.engine.result(use, "Read", "1\tx")
        await until(at.pilot, lambda: use in at.pilot.app.projection.tools)
        await at.write("@")
        await at.offered("tests/test_refund.py", "cart/")


async def test_keys_do_not_wait_for_a_list_that_takes_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hold = threading.Event()
    real = file_lists.git_files

    def slow(root: Path, *, is_trusted: bool) -> list[str] | None:
        hold.wait(20)
        return real(root, is_trusted=is_trusted)

    monkeypatch.setattr(file_lists, "git_files", slow)
    async with files(tmp_path) as at:
        with thread_held():
            await at.write("see @ref")
            await until(at.pilot, lambda: "listing files" in screen_text(at.pilot.app))
            await at.write("und")
            assert at.text == "see @refund"
        hold.set()
        await at.offered("cart/refund.py")


async def test_tab_in_a_burst_of_keys_takes_what_the_whole_burst_means(tmp_path: Path) -> None:
    async with files(tmp_path) as at:
        await at.write("@")
        await at.offered("cart/")
        for key in ("t", "o", "t", "a", "l", "tab"):
            at.prompt.text.post_message(_key(key))
        await until(at.pilot, lambda: at.text == "@cart/total.py ")


def _key(key: str) -> Any:
    from textual import events

    return events.Key(key, key if len(key) == 1 else None)


async def test_a_long_list_is_scrolled_and_marks_what_was_typed(tmp_path: Path) -> None:
    names = [f"part_{number:02}.py" for number in range(30)]
    async with files(tmp_path, names) as at:
        await at.write("@part")
        await at.offered("part_00.py")
        await at.press(*["down"] * 14)
        assert at.prompt.completions.current == "part_14.py"
        assert "❯ part_14.py" in screen_text(at.pilot.app)
        assert "part_00.py" not in screen_text(at.pilot.app)
        await at.press(*["up"] * 15)
        assert at.prompt.completions.current == "part_29.py"


async def test_odd_names_cannot_reach_the_terminal(tmp_path: Path) -> None:
    async with files(tmp_path, ["a\x1b[2Jb.py", "[bold]c[/].py", "d\u202e.py"]) as at:
        await at.write("@py")
        await until(at.pilot, lambda: len(at.names) == 3)
        shown = screen_text(at.pilot.app)
        assert "\x1b" not in shown
        assert "⟨ESC⟩" in shown
        assert "[bold]c[/].py" in shown
        assert "\u202e" not in shown
