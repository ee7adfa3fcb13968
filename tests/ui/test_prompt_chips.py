"""Long pastes and pictures in the prompt: chips that go, stay and come back as a whole."""

from __future__ import annotations

import io
import stat
from base64 import b64decode
from pathlib import Path

import pytest
from fake_engine import FakeEngine
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image as Pictures
from screen_text import screen_text, until
from textual import events
from textual.pilot import Pilot

from tui_agent.boundary import Engine
from tui_agent.drafts import Chip, Draft, Image, image_label, pasted_label
from tui_agent.events import PermissionRequested, PermissionResolved
from tui_agent.tools.workspace import Workspace
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.engine import StartupPrompter
from tui_agent.ui.prompting import pictures
from tui_agent.ui.prompting.chips import ChipShelf
from tui_agent.ui.prompting.history import PromptHistory
from tui_agent.ui.prompting.pictures import clipboard_programs, picture_paths, read_clipboard
from tui_agent.ui.widgets.prompt import Prompt

LONG = "\n".join(f"line {number} of a log" for number in range(42))
CHIP = "[Pasted text #1 +42 lines]"


class Paste:
    """A running app whose prompt is pasted into."""

    def __init__(self, pilot: Pilot[object], engine: FakeEngine) -> None:
        self.pilot = pilot
        self.engine = engine
        self.prompt = pilot.app.screen.query_one(Prompt)

    @property
    def text(self) -> str:
        return self.prompt.text.text

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def paste(self, text: str) -> None:
        self.prompt.text.post_message(events.Paste(text))
        await self.pilot.pause()

    async def shows(self, text: str) -> None:
        await until(self.pilot, lambda: self.text == text)


class App:
    """Opens an app and closes it."""

    def __init__(self, root: Path, size: tuple[int, int] = (80, 24)) -> None:
        self.engine = FakeEngine()
        self.engine.workspace = Workspace(root)

        async def connect(prompter: StartupPrompter) -> Engine:
            return self.engine

        self._running = TuiAgentApp(connect, history=PromptHistory(None)).run_test(size=size)

    async def __aenter__(self) -> Paste:
        pilot = await self._running.__aenter__()
        await until(pilot, lambda: ("start",) in self.engine.asked)
        return Paste(pilot, self.engine)

    async def __aexit__(self, *error: object) -> None:
        await self._running.__aexit__(*error)  # type: ignore[arg-type]


def png(size: tuple[int, int] = (320, 200)) -> bytes:
    out = io.BytesIO()
    Pictures.new("RGB", size, "teal").save(out, "PNG")
    return out.getvalue()


# --- text -------------------------------------------------------------------------------------------------------------


async def test_a_long_paste_is_a_chip_that_goes_whole_to_the_model_and_comes_back(tmp_path: Path) -> None:
    async with App(tmp_path) as at:
        await at.press(*"why")
        await at.press("space")
        await at.paste(LONG)
        await at.shows(f"why {CHIP}")
        await at.press("enter")
        (draft,) = at.engine.drafts
        assert (draft.whole, draft.text) == (f"why {LONG}", f"why {CHIP}")
        await until(at.pilot, lambda: CHIP in screen_text(at.pilot.app))
        assert "line 41 of a log" not in screen_text(at.pilot.app)
        await at.press("up")
        assert at.text == f"why {CHIP}"
        await at.press("enter")
        assert at.engine.drafts[1].whole == draft.whole


async def test_short_pastes_stay_text_and_another_long_one_is_another_chip(tmp_path: Path) -> None:
    async with App(tmp_path) as at:
        await at.paste("two\nlines")
        await at.paste("x" * 801)
        await at.paste("y" * 801)
        await at.shows("two\nlines[Pasted text #1 801 characters][Pasted text #2 801 characters]")
        assert at.prompt.draft.whole == f"two\nlines{'x' * 801}{'y' * 801}"


async def test_a_chip_goes_by_one_key_and_is_undone_by_one(tmp_path: Path) -> None:
    async with App(tmp_path) as at:
        await at.press("a")
        await at.paste(LONG)
        await at.press("b", "left", "backspace")
        assert at.text == "ab"
        await at.press("ctrl+underscore")
        assert at.text == f"a{CHIP}b"
        await at.press("home", "right", "delete")
        assert at.text == "ab"
        await at.press("ctrl+underscore", "home", "right", "right", "left", "right", "x")
        assert at.text == f"a{CHIP}xb"
        await at.press("left", "ctrl+w")
        assert CHIP not in at.text
        await at.press("ctrl+y")
        assert CHIP in at.text
        assert LONG in at.prompt.draft.whole


async def test_a_chip_is_opened_by_a_key_or_by_pasting_the_same_again(tmp_path: Path) -> None:
    async with App(tmp_path) as at:
        await at.paste(LONG)
        await at.press("alt+e")
        assert at.text == LONG
        await at.press("ctrl+underscore")
        assert at.text == CHIP
        await at.press("end")
        await at.paste(LONG)
        await at.shows(LONG)


async def test_what_is_pasted_is_clean_and_much_of_it_holds_nothing_up(tmp_path: Path) -> None:
    async with App(tmp_path) as at:
        at.prompt.text.post_message(events.Paste("\x1b]52;c;aGk=\x07é\u202e line\n" * 60_000))
        at.prompt.text.post_message(events.Key("x", "x"))
        await at.shows("[Pasted text #1 +60,000 lines]x")
        assert at.prompt.draft.whole == "é line\n" * 60_000 + "x"
        assert len(at.prompt.draft.whole) > 400_000
        await at.press("enter")
        await at.press("up")
        assert at.text == "[Pasted text #1 +60,000 lines]x"


async def test_a_command_gets_what_was_pasted(tmp_path: Path) -> None:
    async with App(tmp_path) as at:
        await at.press("slash", *"plan", "space")
        await at.paste(LONG)
        await at.press("enter")
        assert ("submit", LONG) in at.engine.asked


async def test_a_draft_outlives_what_goes_on_around_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with App(tmp_path) as at:
        at.engine.begin()
        await at.paste(LONG)
        await at.shows(CHIP)
        asked = PermissionRequested(
            request_id="q", tool_use_id="t", name="Bash", input={"command": "ls"}, by="default", reason="asks"
        )
        at.engine.say(asked)
        await until(at.pilot, lambda: len(at.pilot.app.screen_stack) == 2)
        resolved = PermissionResolved(request_id="q", tool_use_id="t", behavior="allow", by="person")
        at.engine.say(resolved)
        await until(at.pilot, lambda: len(at.pilot.app.screen_stack) == 1)
        await at.pilot.resize_terminal(60, 20)
        await at.press("escape")
        assert ("interrupt",) in at.engine.asked
        assert at.text == CHIP
        seen: list[str] = []

        async def edit(_app: object, text: str, _name: str) -> str:
            seen.append(text)
            return f"{text}and more\n"

        monkeypatch.setattr("tui_agent.ui.terminal.editor.edit_outside", edit)
        await at.press("ctrl+g")
        await at.shows(f"{CHIP}\nand more")
        assert seen == [f"{LONG}\n"]
        assert at.prompt.draft.whole == f"{LONG}\nand more"


# --- pictures ---------------------------------------------------------------------------------------------------------


async def test_the_path_of_a_picture_attaches_it(tmp_path: Path) -> None:
    (tmp_path / "my shot.png").write_bytes(png())
    async with App(tmp_path) as at:
        await at.press("s", "e", "e", "space")
        await at.paste(f"{str(tmp_path / 'my shot.png').replace(' ', chr(92) + ' ')} ")
        await at.shows("see [Image #1 320×200]")
        await at.press("enter")
        await until(at.pilot, lambda: at.engine.drafts)
        (chip,) = at.engine.drafts[0].images
        assert chip.image is not None
        assert (chip.image.name, chip.image.media_type, chip.image.size) == ("my shot.png", "image/png", (320, 200))
        assert b64decode(chip.image.data) == png()


async def test_what_is_no_picture_is_pasted_as_text_and_said(tmp_path: Path) -> None:
    (tmp_path / "fake.png").write_text("no picture")
    broken = png()[:60]
    (tmp_path / "broken.png").write_bytes(broken)
    async with App(tmp_path) as at:
        await at.paste(f"{tmp_path}/fake.png")
        await at.shows(f"{tmp_path}/fake.png")
        await until(at.pilot, lambda: "it is not a PNG" in screen_text(at.pilot.app))
        await at.press("ctrl+u", "ctrl+u", "ctrl+u", "ctrl+u")
        await at.paste(f"{tmp_path}/broken.png")
        await until(at.pilot, lambda: "broken image" in screen_text(at.pilot.app))
        await at.shows("")


async def test_the_clipboard_gives_a_picture_or_text_or_says_why_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with App(tmp_path) as at:
        monkeypatch.setattr(pictures, "clipboard_programs", lambda: [("picture", ["x"]), ("text", ["y"])])
        given = {"x": png((2400, 100)), "y": b""}
        monkeypatch.setattr(pictures, "_output", lambda command: given[command[0]])
        await at.press("ctrl+v", "enter")  # pressed before the picture is there
        await until(at.pilot, lambda: at.engine.drafts)
        (chip,) = at.engine.drafts[0].images
        assert chip.label == "[Image #1 2400×100]"
        assert chip.image is not None
        assert chip.image.data
        assert Pictures.open(io.BytesIO(b64decode(chip.image.data))).size == (2000, 83)
        given |= {"x": b"", "y": b"some text"}
        await at.press("alt+v")
        await at.shows("some text")
        given["y"] = b""
        await at.press("ctrl+v")
        await until(at.pilot, lambda: "neither a picture nor text" in screen_text(at.pilot.app))
        monkeypatch.setattr(pictures, "clipboard_programs", list)
        await at.press("ctrl+v")
        await until(at.pilot, lambda: "clipboard cannot be read" in screen_text(at.pilot.app))
        assert at.text == "some text"


async def test_what_was_queued_comes_back_with_its_chips(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png())
    async with App(tmp_path) as at:
        at.engine.begin()
        await at.paste(LONG)
        await at.paste(f"{tmp_path}/a.png")
        await at.shows(f"{CHIP}[Image #1 320×200]")
        await at.press("enter")
        await until(at.pilot, lambda: "delivered at the next step" in screen_text(at.pilot.app))
        assert f"queued  {CHIP}[Image #1 320×200]" in screen_text(at.pilot.app)
        await at.press("d", "up")
        await at.shows(f"{CHIP}[Image #1 320×200]\nd")
        draft = at.prompt.draft
        assert draft.whole == f"{LONG}[Image #1 320×200]\nd"
        assert len(draft.images) == 1


# --- without a screen -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pasted", "paths"),
    [
        ("/a/b.png", ["/a/b.png"]),
        ("'/a/my pic.PNG'", ["/a/my pic.PNG"]),
        ('"/a/my pic.jpeg" ', ["/a/my pic.jpeg"]),
        (r"/a/my\ pic.webp", ["/a/my pic.webp"]),
        ("file:///a/my%20pic.gif", ["/a/my pic.gif"]),
        ("/a.png /b.jpg", ["/a.png", "/b.jpg"]),
        ("/a b.png\n/c.png", ["/a b.png", "/c.png"]),
        ("~/x.png", ["~/x.png"]),
        ("see /a.png", []),
        ("/a.png is wrong", []),
        ("a.png", []),
        ("/a.txt", []),
        ("", []),
        ("it's /a.png", []),
    ],
)
def test_paths_of_pictures_are_told_from_text(pasted: str, paths: list[str]) -> None:
    assert picture_paths(pasted) == paths


def test_the_clipboard_programs_are_those_of_this_desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("wl-paste", "xclip", "pngpaste"):
        program = tmp_path / name
        program.write_text("#!/bin/sh\nprintf text\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    firsts = [
        clipboard_programs(environment, platform)[0][1][0]
        for environment, platform in (({}, "darwin"), ({"WAYLAND_DISPLAY": "w"}, "linux"), ({"DISPLAY": ":0"}, "linux"))
    ]
    assert firsts == ["pngpaste", "wl-paste", "xclip"]
    assert clipboard_programs({}, "linux") == []
    held = read_clipboard(clipboard_programs({"DISPLAY": ":0"}, "linux"))
    assert (held.picture, held.text) == (b"", "text")


def test_a_picture_of_the_mac_clipboard_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        pictures, "_output", lambda _command: b"\xc2\xabdata PNGf" + png().hex().upper().encode() + b"\xc2\xbb\n"
    )
    assert read_clipboard([("picture", ["osascript"])]).picture == png()


CHIPS = [
    Chip(pasted_label(1, "a\nb\nc"), "a\nb\nc"),
    Chip(pasted_label(2, "[Pasted text #1 +3 lines]"), "[Pasted text #1 +3 lines]"),
    Chip(image_label(1, (3, 4)), image=Image("", "image/png", "AAAA", (3, 4))),
]
PIECES = st.lists(st.sampled_from([chip.label for chip in CHIPS]) | st.text("ab[]# \n", max_size=4), max_size=8)


@given(PIECES)
def test_chips_stand_for_their_text(pieces: list[str]) -> None:
    by_label = {chip.label: chip for chip in CHIPS}
    draft = Draft("".join(pieces), tuple(CHIPS))
    whole = "".join(
        by_label[piece].text if piece in by_label and by_label[piece].image is None else piece for piece in pieces
    )
    assert draft.whole == whole
    assert {chip.label for chip in draft.used.chips} == {piece for piece in pieces if piece in by_label}
    assert draft.used.whole == whole


@given(PIECES, st.integers(0, 200), st.integers(0, 200), st.text("xy", max_size=2))
def test_no_change_leaves_a_chip_in_pieces(pieces: list[str], first: int, second: int, inserted: str) -> None:
    text = "".join(pieces)
    start, stop = sorted((min(first, len(text)), min(second, len(text))))
    shelf = ChipShelf()
    shelf.put(CHIPS)
    begin, end = shelf.cut(text, start, stop, inserted)
    changed = text[:begin] + inserted + text[end:]
    kept = [span.chip.label for span in shelf.spans(text) if span.stop <= begin or span.start >= end]
    assert [span.chip.label for span in shelf.spans(changed)] == kept
    assert begin >= start or any(span.start == begin for span in shelf.spans(text))
    at = shelf.edge(text, start, 0)
    assert not any(span.start < at < span.stop for span in shelf.spans(text))


def test_a_shelf_numbers_its_chips_and_does_not_grow_without_end() -> None:
    shelf = ChipShelf()
    labels = [shelf.fold("x" * 20_000_000).label for _ in range(5)]
    assert [label.split()[2] for label in labels] == ["#1", "#2", "#3", "#4", "#5"]
    assert [bool(shelf.spans(label)) for label in labels] == [False, False, True, True, True]
    assert shelf.hold(Image("", "", "", (1, 2))).label == "[Image #1 1×2]"
    shelf.put([Chip("[Image #7 1×1]", image=Image("", "", "", (1, 1)))])
    assert shelf.hold(Image("", "", "", (1, 2))).label == "[Image #8 1×2]"


async def test_what_is_far_too_long_is_not_pasted_and_said(tmp_path: Path) -> None:
    async with App(tmp_path) as at:
        await at.paste("x" * 5_000_001)
        await until(at.pilot, lambda: "too much to paste" in screen_text(at.pilot.app))
        assert at.text == ""
