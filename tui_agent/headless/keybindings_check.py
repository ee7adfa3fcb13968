"""The part of `doctor` that is about keys a user has bound."""

from __future__ import annotations

from collections.abc import Iterator

from tui_agent.headless.findings import Finding

__all__ = ["examine_keybindings"]


def examine_keybindings() -> Iterator[Finding]:
    """Yield what is to be said of the files that bind keys; nothing where there are none."""
    from tui_agent.settings.keybindings.files import keybindings_files
    from tui_agent.settings.keybindings.load import load_keymap

    for file in keybindings_files():
        keymap = load_keymap([file])
        for problem in keymap.problems:
            yield Finding("problem" if problem.is_whole_file else "warning", "keys", str(problem))
        if count := len({keys for table in keymap.tables.values() for keys in table}):
            yield Finding("ok", "keys", f"{count} bound by {file}")
