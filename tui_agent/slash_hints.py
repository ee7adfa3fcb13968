"""What to use in the place of commands that people type by habit, and that this program does not have under that name."""

from __future__ import annotations

from typing import Final

__all__ = ["hint_for"]

_HINTS: Final = {
    (
        "compact",
    ): "Old tool results are shortened by themselves. /context drops single ones, /clear begins a new session.",
    ("rewind", "checkpoint", "undo"): "To take file changes back, open the diff (F3) and press u.",
    ("branch", "fork"): "A session cannot be forked yet. /clear begins a new one, and /resume goes back to this one.",
    ("effort",): "/thinking turns thinking on or off, /model chooses the model.",
    ("fast",): "/model chooses a faster model.",
    ("plugin", "reload-plugins"): "`--plugin-dir DIR` loads a plugin for one run; marketplaces are not supported yet.",
    ("cd",): "`!cd folder` changes the folder of commands. For another project, start tui-agent there.",
    ("statusline",): "Set `statusLine` in the settings; /settings says in which files.",
    ("doctor",): "Run `!tui-agent doctor`.",
    ("sandbox",): "/status says which sandbox is used, /settings what `sandbox` is set to.",
    ("tui",): "This is the full-screen app. `tui-agent -p` runs without a screen.",
    ("terminal-setup",): "Nothing needs to be set up: Shift+Enter, or Ctrl+J anywhere, begins a new line.",
    ("btw",): "Just send it: what you send while the model works reaches it at the next step.",
    ("recap",): "Alt+Up goes back through your messages; /status sums the session up.",
    ("goal", "loop"): "There is no such mode. Say in a message when the work is done, and what proves it.",
    ("ide",): "There is no editor integration yet. Ctrl+G opens your editor for the prompt.",
    ("release-notes",): "The file CHANGELOG.md lists what is new.",
    ("bug", "feedback"): "Report it where you got tui-agent; `tui-agent doctor` and /export tell what helps.",
    ("output-style",): "Say in CLAUDE.md how replies should read: /memory opens it.",
    ("pr-comments",): "Ask the model to read them, for example with `gh pr view --comments`.",
}


def hint_for(name: str) -> str:
    """Return what to use in the place of a command; empty where its name is not known either."""
    return next((hint for names, hint in _HINTS.items() if name in names), "")
