"""What is pasted into the prompt: short text as it is, long text and pictures as chips."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from tui_agent.drafts import Chip, Draft, Image
from tui_agent.emoji_sequences import emoji_around
from tui_agent.text import clean
from tui_agent.ui.prompting.chips import ChipShelf, is_long
from tui_agent.ui.prompting.editing.offsets import location_of
from tui_agent.ui.render_style import render_state

if TYPE_CHECKING:
    from rich.text import Text

    from tui_agent.ui.notice_level import Level
    from tui_agent.ui.widgets.prompt_text import PromptText

__all__ = ["Pasting"]

_AT_ONCE: Final = 20_000  # characters that are cleaned without going to a thread
_MOST: Final = 5_000_000  # characters
_PATIENCE_S: Final = 3.0  # for a picture that is being read, before what was pressed is given up
_CLIPBOARD_KEYS: Final = frozenset({"ctrl+v", "alt+v", "super+v"})
_NOT_READY: Final = "a picture is still being read; press enter again"
_BY_FILE: Final = "Put it into a file and name that with @."
_NOTHING: Final = "The clipboard holds neither a picture nor text."


class NotifyUser(Protocol):
    """Tells the user something about what they write."""

    def __call__(self, words: str, *, level: Level = "brief") -> None:
        """Show a few words."""


class Pasting:
    """Pastes into `area`, and keeps the chips of it."""

    def __init__(self, area: PromptText, notify: NotifyUser) -> None:
        self.chips = ChipShelf()
        self._root = Path()
        self._notify = notify
        self._area = area
        self._reading: set[str] = set()  # labels of pictures that are being read
        self._done = asyncio.Event()  # nothing is being read
        self._done.set()
        self._busy = 0
        self._at = 0  # where the cursor was

    # --- keys --------------------------------------------------------------------------------------------------------

    def take_key(self, key: str) -> bool:
        """Do what a key means for what was, or is to be, pasted; False when it means nothing here."""
        if key in _CLIPBOARD_KEYS:
            self._begin()
            self._area.run_worker(self._paste_clipboard(), exit_on_error=False, group="clipboard")
            return True
        return key == "alt+e" and self._expand()

    def start_at(self, root: Path) -> None:
        """Take paths that are pasted as starting at this folder."""
        self._root = root

    @property
    def is_ready(self) -> bool:
        """Whether the pictures in the text are all there; says so where they are not."""
        if any(span.chip.label in self._reading for span in self.chips.spans(self._area.text)):
            self._notify(_NOT_READY)
            return False
        return True

    async def settle(self) -> None:
        """Return when nothing is being read, or after a while."""
        if not self._done.is_set():
            try:
                async with asyncio.timeout(_PATIENCE_S):
                    await self._done.wait()
            except TimeoutError:
                return

    def _begin(self) -> None:
        self._busy += 1
        self._done.clear()

    def _end(self) -> None:
        self._busy -= 1
        if not self._busy:
            self._done.set()

    # --- pasting -----------------------------------------------------------------------------------------------------

    async def take(self, pasted: str) -> None:
        """Take what was pasted. Some terminals paste nothing for a picture in the clipboard."""
        if not pasted:
            self.take_key("ctrl+v")
            return
        if len(pasted) > _MOST:
            self._notify(f"This is too much to paste: {len(pasted):,} characters. {_BY_FILE}", level="warning")
            return
        text = clean(pasted) if len(pasted) <= _AT_ONCE else await asyncio.to_thread(clean, pasted)
        from tui_agent.ui.prompting.pictures import picture_paths

        paths = picture_paths(text)
        if paths and await self._take_files(paths):
            return
        self._write(text)

    def _write(self, text: str) -> None:
        """Write a text where the cursor is: as a chip where it is long; the same again opens the chip before the cursor."""
        area = self._area
        beside = self.chips.beside(area.text, area.at)
        if is_long(text):
            if beside is not None and beside.stop == area.at and beside.chip.text == text:
                self._expand()
                return
            text = self.chips.fold(text).label
        area.history.checkpoint()
        area.replace(text, *area.selection, maintain_selection_offset=False)
        area.history.checkpoint()
        area.scroll_cursor_visible()

    async def _take_files(self, paths: Sequence[str]) -> bool:
        """Attach the pictures that paths lead to; False where one of them is none."""
        from tui_agent.ui.prompting.pictures import PictureError, read_picture

        try:
            found = await asyncio.to_thread(lambda: [read_picture(path, self._root) for path in paths])
        except PictureError as error:
            self._notify(str(error), level="warning")
            return False
        for number, (path, data) in enumerate(zip(paths, found, strict=True)):
            if number:
                self._area.replace(" ", *self._area.selection, maintain_selection_offset=False)
            self._attach(data, Path(path).name)
        return True

    async def _paste_clipboard(self) -> None:
        from tui_agent.ui.prompting.pictures import PictureError, read_clipboard

        try:
            held = await asyncio.to_thread(read_clipboard)
            if held.picture:
                self._attach(held.picture)
            elif held.text:
                await self.take(held.text)
            else:
                self._notify(_NOTHING)
        except PictureError as error:
            if self._area.app.clipboard:  # what was copied here
                await self.take(self._area.app.clipboard)
            else:
                self._notify(str(error), level="warning")
        finally:
            self._end()

    def _attach(self, data: bytes, name: str = "") -> None:
        """Write the chip of a picture at once; what is sent of it is made meanwhile."""
        from tui_agent.media import image_size, image_type

        chip = self.chips.hold(Image(name, image_type(data) or "", "", image_size(data) or (0, 0)))
        self._area.replace(chip.label, *self._area.selection, maintain_selection_offset=False)
        self._reading.add(chip.label)
        self._begin()
        self._area.run_worker(self._read(chip, data, name), exit_on_error=False, group="pictures")

    async def _read(self, chip: Chip, data: bytes, name: str) -> None:
        from tui_agent.ui.prompting.pictures import PictureError, picture_of

        try:
            image = await asyncio.to_thread(picture_of, data, name)
        except PictureError as error:
            self._remove(chip)
            self._notify(str(error), level="warning")
        else:
            self.chips.put([Chip(chip.label, image=image)])
        finally:
            self._reading.discard(chip.label)
            self._end()

    # --- chips in the text -------------------------------------------------------------------------------------------

    def _remove(self, chip: Chip) -> None:
        text, at = self._area.text, self._area.at
        for span in reversed(self.chips.spans(text)):
            if span.chip.label == chip.label:
                self._area.rewrite(text[: span.start] + text[span.stop :], max(0, min(at, at - len(chip.label))))

    def _expand(self) -> bool:
        """Put what was pasted in the place of the chip beside the cursor; False where there is none."""
        text = self._area.text
        span = self.chips.beside(text, self._area.at)
        if span is None or span.chip.image is not None:
            return False
        at = span.start + len(span.chip.text)
        self._area.rewrite(text[: span.start] + span.chip.text + text[span.stop :], at)
        return True

    def step_over(self) -> None:
        """Have the cursor go over a chip, and over an emoji, in one step."""
        area = self._area
        row, column = area.cursor_location
        inside = emoji_around(area.document.get_line(row), column) if area.selection.is_empty else None
        if inside is not None:
            start, stop = inside
            came_from_left = self._at <= area.at - (column - start)
            area.move_cursor((row, stop if came_from_left else start))
        if self.chips and area.selection.is_empty:
            text, at = area.text, area.at
            edge = self.chips.edge(text, at, self._at)
            if edge != at:
                area.move_cursor(location_of(text, edge))
            self._at = edge
        else:
            self._at = area.at

    def paint(self, line: Text) -> None:
        """Set chips in a line apart from what was typed."""
        if self.chips:
            style = render_state(self._area.app).palette.accent
            for span in self.chips.spans(line.plain):
                line.stylize(style, span.start, span.stop)

    def folded(self, text: str, before: Draft) -> str:
        """Return a text that was edited elsewhere, with the chips of the draft before in the place of what is still whole."""
        for span in before.spans:
            if span.chip.image is None:
                text = text.replace(span.chip.text, span.chip.label, 1)
        return text
