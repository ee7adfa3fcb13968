"""Markdown as lines: an own renderer over markdown-it-py, and a stream that parses only what is still growing.

Imports `viewkit/` around it and `text`.
"""

from __future__ import annotations

from tui_agent.viewkit.markdown.stream import MarkdownPart, MarkdownStream, MarkdownTail, MarkdownView

__all__ = ["MarkdownPart", "MarkdownStream", "MarkdownTail", "MarkdownView", "warm_up"]


def warm_up() -> None:
    """Import the parser and the colouring ahead of their first use; takes a tenth of a second, in any thread."""
    from tui_agent.viewkit.code import tokenize
    from tui_agent.viewkit.markdown.inline import parse_inline

    parse_inline("*x*")
    tokenize("x", "python")
