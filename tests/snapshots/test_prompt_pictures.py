"""The prompt with what it offers, folds and queues, and what a message took along in the conversation."""

from __future__ import annotations

import io
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from pictures import Album, Stage, settle, staged
from PIL import Image as Pictures
from recording import Recording
from textual import events as keys

from tui_agent.drafts import Image
from tui_agent.events import MessageQueued, TurnStarted, UserMessageSent
from tui_agent.ui.prompting.file_finder import FileFinder
from tui_agent.ui.widgets.prompt import Prompt

FILES = [
    "README.md", "cart/refund.py", "cart/refund_policy.py", "cart/totals.py", "docs/refunds.md", "docs/my notes.md",
    "shop/a/very/long/way/down/to/the/one/file/that/is/about/refunds_of_single_items_and_their_rounding.py",
    "tests/test_refund.py", "tests/test_refund_policy.py", "tests/test_totals.py",
]  # fmt: skip
LOG = "\n".join(f"line {number} of a log" for number in range(42))
SIZES = [(80, 24), (120, 40)]


def preview() -> dict[str, Any]:
    picture = Pictures.new("RGB", (44, 28))
    for x in range(44):
        for y in range(28):
            picture.putpixel((x, y), (x * 5, y * 8, 140))
    return {"width": 44, "height": 28, "rgb": b64encode(picture.tobytes()).decode()}


def image() -> Image:
    out = io.BytesIO()
    Pictures.new("RGB", (320, 200), "teal").save(out, "PNG")
    return Image("shot.png", "image/png", b64encode(out.getvalue()).decode(), (320, 200))


def working() -> Stage:
    """Return a stage on which a turn runs and two messages wait."""
    return Stage(
        [
            *Recording().events,
            UserMessageSent(message_id="m1", text="Refunds are one cent off.", monotonic_ms=1000.0),
            TurnStarted(turn_id="t", monotonic_ms=1100.0),
            MessageQueued(message_id="q1", text="look at the tests too", monotonic_ms=1200.0),
            MessageQueued(
                message_id="q2", text=f"why? {LOG}", shown="why? [Pasted text #1 +42 lines]", monotonic_ms=1300.0
            ),
        ]
    )


@pytest.mark.parametrize("size", [*SIZES, (60, 20)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_list_of_files_looks_as_it_did(size: tuple[int, int], album: Album, tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    async with staged(Stage(Recording().events), size) as (app, pilot):
        prompt = app.screen.query_one(Prompt)
        finder = FileFinder(
            tmp_path,
            Path.home(),
            is_trusted=lambda: True,
            respects_ignore=lambda: True,
            recent=list,
            on_change=prompt.completer.refresh,
        )
        prompt.offer_files(tmp_path, finder)
        for typed, name in (("why is @", "files-all"), ("refund", "files-found")):
            await pilot.press(*({" ": "space", "@": "at"}.get(letter, letter) for letter in typed))
            await finder.settle()
            await prompt.completer.settle()
            if name == "files-found":
                await pilot.press("down")
            await settle(app, pilot)
            album.compare(app, f"{name}-{size[0]}x{size[1]}")
    album.verify()


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_chips_and_the_queue_look_as_they_did(size: tuple[int, int], album: Album) -> None:
    async with staged(working(), size) as (app, pilot):
        prompt = app.screen.query_one(Prompt)
        await pilot.press(*"see")
        await pilot.press("space")
        prompt.text.post_message(keys.Paste(LOG))
        await pilot.pause()
        chip = prompt.pasting.chips.hold(image())
        prompt.text.insert(f" and {chip.label} please")
        await settle(app, pilot)
        album.compare(app, f"chips-{size[0]}x{size[1]}")
    album.verify()


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_what_a_message_took_along_looks_as_it_did(size: tuple[int, int], album: Album) -> None:
    attached = (
        {"kind": "file", "name": "cart/refund.py", "note": "lines 10–20 of 47"},
        {"kind": "folder", "name": "docs/", "note": "3 entries"},
        {"kind": "refused", "name": ".env", "note": "Permission to read it was denied: `Read(.env)` denies `.env`"},
        {"kind": "image", "name": "shot.png", "note": "320 × 200 pixels", "preview": preview()},
    )
    sent = UserMessageSent(
        message_id="m",
        text=f"compare @cart/refund.py#L10-20 with @docs/ and @.env: [Image #1 320×200] {LOG}",
        shown="compare @cart/refund.py#L10-20 with @docs/ and @.env: [Image #1 320×200] [Pasted text #1 +42 lines]",
        attached=attached,
        monotonic_ms=1000.0,
    )
    async with staged(Stage([*Recording().events, sent]), size) as (app, pilot):
        album.compare(app, f"attached-{size[0]}x{size[1]}")
        await pilot.press("ctrl+o")
        await settle(app, pilot)
        album.compare(app, f"attached-open-{size[0]}x{size[1]}")
    album.verify()


async def test_what_is_offered_after_a_slash_looks_as_it_did(album: Album) -> None:
    async with staged(Stage(Recording().events), (80, 24)) as (app, pilot):
        for typed, name in (("/s", "commands"), ("ecrets ", "values")):
            await pilot.press(*({"/": "slash", " ": "space"}.get(letter, letter) for letter in typed))
            await settle(app, pilot)
            album.compare(app, name)
    album.verify()
