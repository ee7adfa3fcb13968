"""The motions of vi over words."""

from __future__ import annotations

from tui_agent.ui.prompting.editing.offsets import is_empty_line, is_line_end, kind, line_end
from tui_agent.ui.prompting.editing.vi.targets import MotionWalk, Target

__all__ = ["changed_word", "word_back", "word_end", "word_end_back", "word_forward"]


def word_forward(walk: MotionWalk, *, is_big: bool) -> Target | None:
    """Go to the beginning of a word (`w`). An operator on the last word of a line leaves the next line alone."""
    text, at = walk.text, walk.at
    for left in range(walk.times - 1, -1, -1):
        ends_with_line = walk.is_operated and not left
        here, is_last_line = kind(text, at, is_big=is_big), line_end(text, at) == len(text)
        if at == len(text):
            break
        at += 1
        if (text[at - 1] == "\n" or is_line_end(text, at)) and (ends_with_line or is_last_line):
            break
        while here and at < len(text) and kind(text, at, is_big=is_big) == here:
            at += 1
        while at < len(text) and kind(text, at, is_big=is_big) == 0 and not is_empty_line(text, at):
            if ends_with_line and text[at] == "\n":
                break
            at += 1
    return Target(at) if at > walk.at or walk.is_operated else None


def word_back(walk: MotionWalk, *, is_big: bool) -> Target | None:
    """Go to the beginning of a word before (`b`)."""
    text, at = walk.text, walk.at
    for _ in range(walk.times):
        at = max(0, at - 1)
        while at and kind(text, at, is_big=is_big) == 0 and not is_empty_line(text, at):
            at -= 1
        here = kind(text, at, is_big=is_big)
        while here and at and kind(text, at - 1, is_big=is_big) == here:
            at -= 1
    return Target(at) if walk.at else None


def word_end(walk: MotionWalk, *, is_big: bool, may_stay: bool = False) -> Target | None:
    """Go to the end of a word (`e`); `may_stay` where the cursor is at the end of one already."""
    text, at = walk.text, walk.at
    for number in range(walk.times):
        here = kind(text, at, is_big=is_big)
        if at >= len(text):
            break
        at += 1
        if not (here and kind(text, at, is_big=is_big) == here):
            if here and may_stay and number == 0:
                at -= 1
                continue
            while at < len(text) and kind(text, at, is_big=is_big) == 0:
                at += 1
            if at == len(text) and is_empty_line(text, at):
                break
        here = kind(text, at, is_big=is_big)
        while here and at < len(text) and kind(text, at, is_big=is_big) == here:
            at += 1
        at -= 1
    return Target(at, "inclusive") if at > walk.at or may_stay or walk.is_operated else None


def word_end_back(walk: MotionWalk, *, is_big: bool) -> Target | None:
    """Go to the end of a word before (`ge`)."""
    text, at = walk.text, walk.at
    for _ in range(walk.times):
        here = kind(text, at, is_big=is_big)
        at = max(0, at - 1)
        while here and at and kind(text, at, is_big=is_big) == here:
            at -= 1
        while at and kind(text, at, is_big=is_big) == 0 and not is_empty_line(text, at):
            at -= 1
    return Target(at, "inclusive") if walk.at else None


def changed_word(walk: MotionWalk, *, is_big: bool) -> Target | None:
    """Go to where `cw` ends: a word without the blanks behind it, and on blanks these."""
    if kind(walk.text, walk.at):
        return word_end(walk, is_big=is_big, may_stay=True)
    return word_forward(walk, is_big=is_big)
