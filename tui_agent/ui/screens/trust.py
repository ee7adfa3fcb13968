"""A folder seen for the first time, or with other settings than before: what it asks for that counts only with consent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.types import CSSPathType
from textual.widgets import Static

from tui_agent.settings.withheld_setting import WITHHELD_HEADINGS
from tui_agent.text import reveal, reveal_parts
from tui_agent.ui.dialogs.dialog import Dialog
from tui_agent.ui.dialogs.dialog_box import YIELDS, DialogBox
from tui_agent.ui.dialogs.input_grace import InputGrace
from tui_agent.ui.styles_path import style_sheet
from tui_agent.ui.transcript.clickable import clickable
from tui_agent.ui.widgets.key_line import KeyLine

if TYPE_CHECKING:
    from tui_agent.settings.withheld_setting import WithheldSetting

__all__ = ["TrustScreen"]

_NEW: Final = "Its settings ask for the following. None of it applies until you trust the folder:"
_CHANGED: Final = "You trust this folder. Its settings now also ask for the following, new or changed since then:"


class TrustScreen(Dialog[bool]):
    """Dismissed with whether the folder is trusted. Without trust the session goes on, and what is wished stays without effect.

    `withheld` are what the folder's files want, as written there. `is_changed` is that the folder is trusted already, and these
    are the settings that are new or have changed since.
    """

    CSS_PATH: ClassVar[CSSPathType | None] = [style_sheet("dialogs"), style_sheet("settings")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1,y", "choose(True)", "Trust"),
        Binding("2,n,escape", "choose(False)", "Continue without"),
        Binding("up", "move(-1)", "Other answer", show=False),
        Binding("down", "move(1)", "Other answer", show=False),
        Binding("pagedown", "read(1)", "Scroll down", show=False),
        Binding("pageup", "read(-1)", "Scroll up", show=False),
        Binding("enter", "take", "Take", show=False),
    ]

    def __init__(
        self,
        folder: str,
        withheld: Sequence[WithheldSetting],
        *,
        is_changed: bool = False,
        grace: InputGrace | None = None,
    ) -> None:
        super().__init__()
        self._is_changed = is_changed
        self._folder = folder
        self._withheld = tuple(withheld)
        self._grace = grace or InputGrace()
        self._is_trusting = False  # what Enter takes: the safe answer, until the user moves

    def compose(self) -> ComposeResult:
        with DialogBox():
            yield Static(Content.assemble((reveal(self._folder), "bold")), id="folder")
            if self._withheld:
                words = _CHANGED if self._is_changed else _NEW
                yield Static(words, markup=False)
                with VerticalScroll(id="held", classes=YIELDS, can_focus=False):
                    yield Static(Content("\n").join(self._lines()))
            if not self._is_changed:
                things = "these settings do such things" if self._withheld else "its settings run commands"
                words = f"Trust lets {things} without asking you. When they change, you are asked again."
                yield Static(words, classes="muted", markup=False)
                words = "Deny and ask rules always apply. Until you trust this folder, no hooks run, including yours."
                yield Static(words, classes="muted more", markup=False)
            yield Static(id="yes", classes="choice")
            yield Static(id="no", classes="choice")
            yield KeyLine()

    def on_mount(self) -> None:
        title = "Do you trust the changed settings?" if self._is_changed else "Do you trust this folder?"
        self.query_one("#dialog").border_title = Content(title)
        self._show()
        self._say_keys()
        self.call_after_refresh(self._grace.restart)

    def on_resize(self) -> None:
        self.call_after_refresh(self._say_keys)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return (action == "read" or self._grace.is_open) and super().check_action(action, parameters)

    def _lines(self) -> Iterator[Content]:
        for kind, heading in WITHHELD_HEADINGS.items():
            found = [setting for setting in self._withheld if setting.kind == kind]
            if found:
                yield Content.styled(heading, "bold $text-warning" if kind == "hook" else "bold")
            for setting in found:
                place = Content.styled(f"  {reveal(self._near(setting.file))}:{setting.line}", "$foreground-muted")
                yield Content("• ") + _revealed(setting.text.replace("\n", "\n  ")) + place

    def _near(self, file: str) -> str:
        """Return a file's name as seen from the folder."""
        path = PurePath(file)
        return str(path.relative_to(self._folder)) if path.is_relative_to(self._folder) else file

    def _show(self) -> None:
        yes, no = ("them", "them") if self._is_changed else ("it", "its settings")
        rows = (("#yes", f"1  Yes, I trust {yes}", True), ("#no", f"2  No, continue without {no}", False))
        for selector, words, is_yes in rows:
            row = self.query_one(selector, Static)
            is_chosen = is_yes == self._is_trusting
            row.set_class(is_chosen, "-chosen")
            row.update(clickable(("❯ " if is_chosen else "  ") + words, "screen.choose", is_yes))

    def _say_keys(self) -> None:
        """Say which keys there are; that there is more to read only where there is."""
        has_more = any(box.max_scroll_y > 0 for box in self.query("#held"))
        more = "pgdn scroll · " if has_more else ""
        self.query_one("#keys", Static).update(f"{more}↑↓ or digits choose · enter select · esc continue without")

    def action_move(self, _step: int) -> None:
        self._is_trusting = not self._is_trusting
        self._show()

    def action_read(self, direction: int) -> None:
        for box in self.query("#held").results(VerticalScroll):
            box.scroll_relative(y=direction * max(1, box.size.height - 1), animate=False)

    def action_take(self) -> None:
        self.dismiss(self._is_trusting)

    def action_choose(self, is_trusted: bool) -> None:
        self.dismiss(is_trusted)


def _revealed(text: str) -> Content:
    """Return foreign text with what is odd in it spelled out and marked."""
    return Content.assemble(*((part, "$text-error bold") if is_odd else part for part, is_odd in reveal_parts(text)))
