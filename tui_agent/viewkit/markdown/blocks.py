"""The block structure of Markdown, told line by line as the text arrives.

CommonMark's own way: a line is matched against the quotes and list items that are open, what is left of it opens more of
them or goes on with the *leaf* (a paragraph, a heading, a fence …) at the innermost. A leaf that is closed never changes
again, however deep it stands, so that only the last one is ever drawn anew. Leaves that grow without end are cut into several:
prose anywhere, code and tables between their lines.

Of what CommonMark and GitHub's tables say this leaves out, on purpose: HTML (tags are text), link definitions (they would
vanish) and what is nested deeper than anybody reads.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from tui_agent.viewkit.markdown.leaf import Container, Leaf, LeafKind, is_long, split_row

__all__ = ["BlockParser"]

_FENCE: Final = re.compile(r"( {0,3})(`{3,}(?=[^`]*\Z)|~{3,})(.*)", re.DOTALL)
_ITEM: Final = re.compile(r" {0,3}(?:([-+*])|(\d{1,9})([.)]))(?:( +)(\S.*)?|\Z)", re.DOTALL)
_RULE: Final = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*\Z")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|\Z)")
_HEADING_END: Final = re.compile(r"(?:(?<=[ \t])|\A)#+[ \t]*\Z")
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-+)[ \t]*\Z")
_QUOTE: Final = re.compile(r" {0,3}> ?")
_MATH: Final = re.compile(r" {0,3}(\$\$|\\\[)[ \t]*\Z")
_FIELD: Final = re.compile(r"[\w.-]+:(?: |\Z)")
_DELIMITERS: Final = re.compile(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\Z")
_HEAD: Final = re.compile(r"[ \t]*(?:(?:>|[-+*]|\d{1,9}[.)])[ \t]*)*")
_DEEPEST: Final = 24  # quotes and lists in each other; beyond them their signs are text
_APART: Final = frozenset({"fence", "code", "table", "rule"})
_LONGEST_TEXT: Final = 3_000  # characters after which lines without a blank one between become another paragraph
_LONGEST_TABLE: Final = 30_000  # characters of one table
# Code is cut where its colours can start anew: before a line at the left edge that follows a blank one, once there are
# enough; later after any blank line; in the end anywhere.
_CODE_LINES: Final = (80, 160, 240)
_LONGEST_CODE: Final = 12_000
_LONGEST_JOINED: Final = 100_000  # characters of a single line, which is one as long as that can be helped


@dataclass(slots=True)
class _List:
    marker: str
    number: int
    digits: int


class BlockParser:
    """Takes lines; `closed` are the leaves that are whole, `leaf` is the one that may go on."""

    def __init__(self) -> None:
        self.closed: list[Leaf] = []
        self.leaf: Leaf | None = None
        self._containers: list[Container] = []
        self._lists: list[_List | None] = []  # the list that may go on at each depth
        self._above: Leaf | None = None
        self._has_blank = False

    def preview(self, line: str, *, is_joined: bool = False) -> BlockParser:
        """Return what this would be after `line`. A leaf that can be long is stood in for by an empty one of its kind."""
        other = BlockParser()
        other._containers = [replace(container) for container in self._containers]
        other._lists = [known and replace(known) for known in self._lists]
        other._above, other._has_blank = self._above, self._has_blank
        if self.leaf is not None:
            lines = [] if is_long(self.leaf) else list(self.leaf.lines)
            other.leaf = replace(self.leaf, lines=lines, joined=set())
        other.take(line, is_joined=is_joined)
        return other

    def finish(self) -> None:
        """End the text."""
        self._close_to(0)

    def take(self, line: str, *, is_joined: bool = False) -> None:
        """Take a whole line. One that `is_joined` is the rest of a line that was too long."""
        leaf = self.leaf
        if "\t" in line and (self._containers or leaf is None or leaf.kind != "fence" or leaf.indent):
            line = _expand_head(line)
        if is_joined:
            self._join(line)
            return
        rest, matched = self._descend(line)
        is_whole = matched == len(self._containers)
        if leaf is not None and is_whole and self._goes_on(leaf, rest):
            return
        if not rest.strip():
            self._blank(matched)
            return
        self._begin(rest, matched)

    def _join(self, line: str) -> None:
        """Go on with the line above, whatever the rest of it looks like."""
        leaf = self.leaf
        if leaf is None or leaf.kind not in {"fence", "code", "text"}:
            self._text(line, len(self._containers), is_text=False)
        elif leaf.kind == "text":
            self._text(line, len(self._containers), is_text=True)
        elif leaf.size > _LONGEST_JOINED:
            self._add_code(leaf, line)
        else:
            leaf.joined.add(len(leaf.lines))
            leaf.add(line)

    # --- lines -------------------------------------------------------------------------------------------------------

    def _descend(self, line: str) -> tuple[str, int]:
        """Return what is left of a line behind the open containers that it goes on with, and how many those are."""
        for number, container in enumerate(self._containers):
            if container.is_quote:
                quote = _QUOTE.match(line)
                if quote is None:
                    return line, number
                line = line[quote.end() :]
                continue
            body = line.lstrip(" ")
            if body and len(line) - len(body) < container.indent:
                return line, number
            if not body and not container.is_used:  # nothing but its marker and a blank line
                return line, number
            line = line[container.indent :]
        return line, len(self._containers)

    def _goes_on(self, leaf: Leaf, rest: str) -> bool:
        """Whether a fence, indented code or mathematics takes the line, whatever it looks like."""
        match leaf.kind:
            case "fence":
                if _closes(leaf, rest):
                    self._end_leaf()
                    return True
                if leaf.marker == "---" and not rest.strip():
                    return False
                self._add_code(leaf, _dedent(rest, leaf.indent))
                return True
            case "math":
                if not rest.strip() or leaf.size >= _LONGEST_TEXT:
                    return False
                leaf.add(rest)
                if rest.strip().endswith("$$" if leaf.marker == "$$" else "\\]"):
                    self._end_leaf()
                return True
            case "code":
                if rest.strip() and not rest.startswith("    "):
                    return False
                self._add_code(leaf, rest[4:])
                return True
            case "rule" if _FIELD.match(rest):  # what began with `---` are fields: front matter
                leaf.kind, leaf.marker, leaf.info = "fence", "---", "yaml"
                leaf.add(rest)
                return True
            case _:
                return False

    def _add_code(self, leaf: Leaf, line: str) -> None:
        if _is_full(leaf, line):
            indent, marker, info = leaf.indent, leaf.marker, leaf.info
            self._end_leaf()
            leaf = self._open(leaf.kind, is_continued=True)
            leaf.indent, leaf.marker, leaf.info = indent, marker, info
        leaf.add(line)

    def _blank(self, matched: int) -> None:
        self._has_blank = True
        if self.leaf is not None and (self.leaf.kind != "empty" or matched < len(self._containers)):
            self._end_leaf()
        del self._containers[matched:]

    def _begin(self, rest: str, matched: int) -> None:
        """Take a line that is not blank and that no leaf took whatever it is."""
        leaf = self.leaf
        is_text = leaf is not None and leaf.kind == "text"
        follows = is_text and matched == len(self._containers)  # a paragraph, not only as its lazy line
        while True:
            indent = len(rest) - len(rest.lstrip(" "))
            if indent >= 4:
                if not is_text:
                    self._close_to(matched)
                    self._open("code").add(rest[4:])
                    return
                break
            if follows and self._ends_text(rest):
                return
            if self._opens_leaf(rest, matched):
                return
            opened = self._container(rest, matched, follows=follows) if matched < _DEEPEST else None
            if opened is None:
                break
            rest, matched = opened, len(self._containers)
            is_text = follows = False
            if not rest.strip():
                if self._containers[-1].is_quote:
                    self._has_blank = True
                else:
                    self._open("empty")
                return
        self._text(rest, matched, is_text=is_text)

    def _text(self, rest: str, matched: int, *, is_text: bool) -> None:
        leaf = self.leaf
        rest = rest.lstrip(" \t")
        if leaf is not None and is_text:
            if leaf.size >= _LONGEST_TEXT:
                self._end_leaf()
                leaf = self._open("text", is_continued=True)
            leaf.add(rest)
        elif leaf is not None and leaf.kind == "table" and matched == len(self._containers):
            if leaf.size >= _LONGEST_TABLE:
                head = leaf.lines[:2]
                self._end_leaf()
                leaf = self._open("table", is_continued=True)
                leaf.lines += head
            leaf.add(rest)
        else:
            self._close_to(matched)
            self._open("text").add(rest)

    def _ends_text(self, rest: str) -> bool:
        """Whether the line makes a heading or the head of a table of the paragraph above it."""
        leaf = self.leaf
        assert leaf is not None
        underline = _UNDERLINE.match(rest)
        if underline and not leaf.is_continued:
            leaf.kind, leaf.level = "heading", 1 if underline[1][0] == "=" else 2
            leaf.lines = [" ".join(line.strip() for line in leaf.lines)]
            leaf.gap = leaf.gap or (self._above is not None and self._is_apart("heading", self._above))
            self._end_leaf()
            return True
        if "-" not in rest or "|" not in rest + leaf.lines[-1] or not _DELIMITERS.match(rest):
            return False
        if len(split_row(rest)) != len(split_row(leaf.lines[-1])):
            return False
        if len(leaf.lines) > 1:
            head = leaf.lines.pop()
            self._end_leaf()
            leaf = self._open("table")
            leaf.add(head)
        leaf.kind = "table"
        leaf.gap = leaf.gap or (self._above is not None and self._is_apart("table", self._above))
        leaf.add(rest)
        return True

    def _is_apart(self, kind: LeafKind, above: Leaf) -> bool:
        """Whether a leaf stands apart from the one above it even where the source has no blank line."""
        if not self._containers and (kind in _APART or kind == "heading"):
            return True
        return above.kind in _APART and not above.containers

    def _opens_leaf(self, rest: str, matched: int) -> bool:
        """Open what a line other than prose is by itself: a heading, a fence, mathematics, a rule."""
        heading = _HEADING.match(rest)
        if heading:
            self._close_to(matched)
            leaf = self._open("heading")
            leaf.level = len(heading[1])
            leaf.add(_HEADING_END.sub("", rest[heading.end() :]).strip())
            self._end_leaf()
            return True
        fence = _FENCE.match(rest)
        if fence:
            self._close_to(matched)
            leaf = self._open("fence")
            leaf.indent, leaf.marker, leaf.info = len(fence[1]), fence[2], fence[3].strip()
            return True
        math = _MATH.match(rest)
        if math:
            self._close_to(matched)
            leaf = self._open("math")
            leaf.marker = math[1]
            leaf.add(rest.strip())
            return True
        if _RULE.match(rest):
            self._close_to(matched)
            is_first = self._above is None and rest.rstrip() == "---"
            self._open("rule")
            if not is_first:
                self._end_leaf()
            return True
        return False

    def _container(self, rest: str, matched: int, *, follows: bool) -> str | None:
        """Open the quote or item that the line begins with and return what is left of the line, or None."""
        quote = _QUOTE.match(rest)
        if quote:
            self._close_to(matched)
            del self._lists[matched:]
            self._lists.append(None)
            self._containers.append(Container(is_quote=True))
            return rest[quote.end() :]
        item = _ITEM.match(rest)
        if item is None or (follows and (not item[5] or item[2] not in {None, "1"})):
            return None
        self._close_to(matched)
        marker = item[1] or item[3]
        number = int(item[2]) if item[2] else None
        known = self._lists[matched] if matched < len(self._lists) else None
        del self._lists[matched:]
        if known is None or known.marker != marker:
            known = _List(marker, number or 0, max(2, len(str((number or 0) + 9))))
        else:
            known.number += 1
        self._lists.append(known)
        depth = sum(not container.is_quote and container.number is None for container in self._containers)
        marker_end = item.end(1) if item[1] else item.end(3)
        blanks = len(item[4] or "")
        indent = marker_end + (blanks if item[5] and blanks <= 4 else 1)
        self._containers.append(
            Container(False, indent, marker, None if number is None else known.number, known.digits, depth)
        )
        return rest[indent:]

    # --- leaves ------------------------------------------------------------------------------------------------------

    def _open(self, kind: LeafKind, *, is_continued: bool = False) -> Leaf:
        above = self._above
        if self.leaf is not None and self.leaf.kind == "empty":
            shared, gap = self.leaf.shared, self.leaf.gap  # it takes the place of nothing
        else:
            shared = 0
            while shared < len(self._containers) and self._containers[shared].is_used:
                shared += 1
            gap = above is not None and not is_continued and (self._has_blank or self._is_apart(kind, above))
        leaf = Leaf(kind, tuple(self._containers), shared, gap, is_continued=is_continued)
        del self._lists[len(self._containers) :]
        while len(self._lists) < len(self._containers):
            self._lists.append(None)
        if kind != "empty":
            self._use()
        self.leaf = leaf
        self._has_blank = False
        return leaf

    def _use(self) -> None:
        for container in self._containers:
            container.is_used = True

    def _end_leaf(self) -> None:
        leaf, self.leaf = self.leaf, None
        if leaf is None:
            return
        if leaf.kind == "empty":
            for container in leaf.containers:
                container.is_used = True
        elif leaf.kind == "code":
            while leaf.lines and not leaf.lines[-1].strip():
                leaf.lines.pop()
        leaf.is_open = False
        self._above = leaf
        self.closed.append(leaf)

    def _close_to(self, count: int) -> None:
        """Close all but the first `count` containers, and the leaf, unless it is an item's that has nothing yet."""
        if self.leaf is not None and (self.leaf.kind != "empty" or count < len(self._containers)):
            self._end_leaf()
        del self._containers[count:]


def _expand_head(line: str) -> str:
    """Replace the tabs among a line's indentation and signs by blanks."""
    head = _HEAD.match(line)
    end = head.end() if head else 0
    return line[:end].expandtabs(4) + line[end:]


def _closes(leaf: Leaf, line: str) -> bool:
    """Whether a line closes an open fence."""
    body = line.strip()
    if leaf.marker == "---":
        return line.rstrip() in {"---", "..."}
    return len(line) - len(line.lstrip(" ")) <= 3 and len(body) >= len(leaf.marker) and not body.strip(leaf.marker[0])


def _is_full(leaf: Leaf, line: str) -> bool:
    """Whether code goes on in another leaf from `line` on."""
    count = len(leaf.lines)
    if leaf.size >= _LONGEST_CODE or count >= _CODE_LINES[2]:
        return True
    if count < _CODE_LINES[0] or leaf.lines[-1].strip():
        return False
    return count >= _CODE_LINES[1] or (bool(line) and not line[0].isspace())


def _dedent(line: str, indent: int) -> str:
    """Remove up to `indent` blanks from the start of a line, as many as its fence's opener has."""
    return line[min(indent, len(line) - len(line.lstrip(" "))) :] if indent else line
