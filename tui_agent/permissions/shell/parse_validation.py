"""Whether a syntax tree can be believed: where the grammar and bash are known to read a text differently, and what both miss.

A text that fails here is *not understood*; that is never an error, it only means that a user is asked.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from tui_agent.invisible import first_invisible
from tui_agent.permissions.shell.words import read_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

__all__ = ["may_run_hidden_code", "nodes", "problem"]

_CONTIGUOUS: Final = frozenset({"simple_expansion", "concatenation", "variable_assignment", "subscript"})
_MAY_HOLD_BLANKS: Final = frozenset({
    "string_content", "raw_string", "ansi_c_string", "comment", "regex", "heredoc_content", "heredoc_body",
    "heredoc_end",
})  # fmt: skip
_OPENINGS: Final = frozenset({"$", "${", "$(", "$((", "`"})
_ESCAPED: Final = re.compile(rb"\\.", re.DOTALL)
_BLANK: Final = re.compile(rb"[ \t\n]")
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SKIPPED: Final = re.compile(r"\\[^\n]")  # an escaped blank, which the grammar passes over between words
_LOST: Final = re.compile(r"\\[^\n]|[^ \t\n\\]")  # and whatever else it passes over outside of here-documents
_BEFORE_COMMENT: Final = frozenset({"", " ", "\t", "\n", ";", "|", "&", "(", ")"})
# Bash evaluates the values of variables in these, array subscripts and commands in them included.
_EVALUATING: Final = frozenset({
    "arithmetic_expansion", "c_style_for_statement", "subscript", "test_command", "declaration_command",
    "expansion", "((",
})  # fmt: skip
_QUOTED_CODE: Final = re.compile(r"'[^']*[$`][^']*'|\\[$`]|\$'")
_PROMPT_EXPANSION: Final = re.compile(r"@P\s*\}")


def problem(root: Node, source: str) -> tuple[str, str]:
    """Return the check that the tree fails and the reason not to trust it, both empty if it is sound."""
    if root.has_error:
        return "syntax", "its syntax is not understood"
    if _CONTROLS.search(source):
        return "control-characters", "it has a control character"
    hidden = first_invisible(source)
    if hidden:
        return "invisible", f"it has a character that is invisible, or that hides others: {hidden}"
    end = body_end = 0
    for node in nodes(root):
        if node.type == "heredoc_body":
            body_end = max(body_end, node.end_byte)
        if not node.child_count:
            lost = _SKIPPED if node.start_byte <= body_end else _LOST
            if lost.search(source[end : node.start_byte]):
                return "syntax", "it is unclear where one of its words ends"
            end = max(end, node.end_byte)
        if node.type == "heredoc_redirect" and not _is_sound_heredoc(node, source):
            return "here-document", "it is unclear where its here-document ends"
        if not _is_sound_word(node) or not _ends_by_itself(node):
            return "syntax", "it is unclear where one of its words ends"
        if node.type == "comment" and source[max(node.start_byte - 1, 0) : node.start_byte] not in _BEFORE_COMMENT:
            return "syntax", "it is unclear whether part of it is a comment"
    if _LOST.search(source[max(end, body_end) :]):
        return "syntax", "it is unclear how it ends"
    return "", ""


def _is_sound_word(node: Node) -> bool:
    """Whether the grammar let no blank pass that ends a word in bash.

    It does in `>$ rm x`, which writes to a file called `$` and runs a command, and where a line begins with a backslash.
    """
    if node.type == "variable_assignment" and node.parent is not None and node.parent.type == "c_style_for_statement":
        return True
    if node.type in _CONTIGUOUS:
        return all(left.end_byte == right.start_byte for left, right in pairwise(node.children))
    if node.child_count or node.type in _MAY_HOLD_BLANKS or node.text is None:
        return True
    outer = node.parent
    if node.type in _OPENINGS and outer is not None and outer.parent is not None and outer.parent.type == "string":
        return True  # in `"$a $b"` the grammar takes the blank for a part of what follows it
    if node.type == '"' and outer is not None and outer.type == "string" and node.start_byte != outer.start_byte:
        return True  # in `"$a "` for a part of the quote that closes the string
    if outer is not None and outer.type == "concatenation":
        outer = outer.parent
    if outer is not None and outer.type == "expansion":  # `${name:-two words}`
        return True
    return _BLANK.search(_ESCAPED.sub(b"", node.text)) is None


def _ends_by_itself(node: Node) -> bool:
    """Whether no assignment or redirection below runs into what follows it.

    In `A=$B\\c rm x` the grammar ends the assignment before the backslash, and takes the rest for the name of a command.
    """
    return not any(
        left.end_byte == right.start_byte
        and left.type in {"variable_assignment", "file_redirect", "herestring_redirect"}
        and (right.is_named or right.type == "$")
        and not right.type.endswith("_redirect")
        for left, right in pairwise(node.children)
    )


def _is_sound_heredoc(node: Node, source: str) -> bool:
    """Whether bash, which ends a here-document at the first line that is its delimiter, ends it where the tree does."""
    start = next((child for child in node.children if child.type == "heredoc_start"), None)
    body = next((child for child in node.children if child.type == "heredoc_body"), None)
    end = next((child for child in node.children if child.type == "heredoc_end"), None)
    if start is None or end is None:
        return False
    delimiter = read_word(source[start.start_byte : start.end_byte])
    if not delimiter.is_plain or source[end.start_byte : end.end_byte].strip("\t") != delimiter.value:
        return False
    before = source[: end.start_byte].rpartition("\n")[2]
    after = source[end.end_byte :].partition("\n")[0]
    if before.strip("\t") or after:
        return False
    if body is None:
        return True
    text = source[body.start_byte : body.end_byte]
    is_quoted = delimiter.raw != delimiter.value
    lines = (text if is_quoted else text.replace("\\\n", "")).split("\n")
    return all(line.strip("\t") != delimiter.value for line in lines)


def may_run_hidden_code(root: Node, source: str) -> bool:
    """Whether bash may run something that stands in quotes here, out of the tree's sight.

    `A='x[$(rm y)]'; echo $((A))` does. Both halves are needed: something that evaluates the value of a variable, and a quoted
    text that could be code.
    """
    if _PROMPT_EXPANSION.search(source):
        return True
    return _QUOTED_CODE.search(source) is not None and any(node.type in _EVALUATING for node in nodes(root))


def nodes(root: Node) -> Iterator[Node]:
    """Yield a node and all below it, in the order of the text."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))
