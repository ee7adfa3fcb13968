"""The foot of the review screen: its keys, each with its word."""

from __future__ import annotations

from textual.content import Content

from tui_agent.ui.transcript.clickable import clickable

__all__ = ["review_keys", "words_of"]


def review_keys(
    *, has_always: bool, has_files: bool, has_comments: bool, is_accepting: bool, is_outdated: bool
) -> Content:
    """Return the foot: every key with its word, each a place to click as well.

    `is_outdated` says that nothing can be written, as a file changed on disk: only what works all the same is offered then.
    """
    keys: list[tuple[str, str, str, tuple[object, ...]]] = [
        ("a", "accept", "decide", (True,)),
        ("x", "refuse", "decide", (False,)),
        ("A", "all", "decide_all", (True,)),
        ("X", "none", "decide_all", (False,)),
        ("j/k", "hunk", "go", (1,)),
        ("n/p", "file", "file", (1,)),
        ("↑/↓", "line", "line", (1,)),
        ("c", "comment", "comment", ()),
        ("r", "refuse with comments", "send_comments", ()),
        ("e", "edit", "edit", ()),
        ("o", "editor", "open", ()),
        ("t", "columns", "layout", ()),
        ("+", "more", "more", ()),
        ("enter", "tell the model" if is_outdated else "apply", "apply", ()),
        ("⇧⇥", "apply, and accept edits from now on", "next_mode", ()),
        ("2", "always", "always", ()),
        ("w", "apply, with words", "words", (True,)),
        ("4", "no, with words", "words", (False,)),
        ("esc", "no, and stop", "refuse", ()),
    ]
    left_out = {
        "always": not has_always or is_outdated,
        "file": not has_files,
        "send_comments": not has_comments,
        "next_mode": is_accepting or is_outdated,
        "edit": is_outdated,
        "open": is_outdated,
    }
    # Refusing what cannot be written lets the other files be written; nothing else that is decided changes anything.
    without_effect = {"a", "A", "w"} if has_files else {"a", "A", "x", "X", "w"}
    return Content("  ").join(
        clickable(words_of((key, word)), f"screen.{action}", *arguments)
        for key, word, action, arguments in keys
        if not left_out.get(action) and not (is_outdated and key in without_effect)
    )


def words_of(*keys: tuple[str, str]) -> Content:
    """Return keys, each with its word."""
    return Content("  ").join(Content.assemble((key, "bold"), " ", (word, "$foreground-muted")) for key, word in keys)
