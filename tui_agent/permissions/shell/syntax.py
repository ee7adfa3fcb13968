"""A command text as what bash makes of it: lists, pipelines, loops and simple commands, from the grammar's syntax tree.

Every node's shape is checked to the last character: its children must stand in the order that bash's grammar has them in,
with nothing but blanks between them, and every word is read a second time (`spelling`). What is left is known to be what bash
reads; anything else is `Unclear`.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from tui_agent.permissions.shell.compounds import Compounds
from tui_agent.permissions.shell.layout import UNSURE
from tui_agent.permissions.shell.spelling import Unclear
from tui_agent.permissions.shell.statements import AndOr, Pipeline, Redirection, Series, Simple, Statement

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read_syntax"]


def read_syntax(root: Node, source: str) -> Series:
    """Return the whole text's statements.

    Raises:
        Unclear: bash may read it differently, or it holds a construct that is not known.
    """
    return _Reader(source, root).whole(root)


class _Reader(Compounds):
    """Reads lists and pipelines, and what redirections belong to."""

    def whole(self, root: Node) -> Series:
        return self._sequence(root.children, 0, len(self._source))

    # Lists

    def _sequence(self, nodes: list[Node], start: int, end: int, *, ends: tuple[str, ...] = ()) -> Series:
        """Read statements and what separates them, between two positions; `ends` are tokens that may stand last."""
        items: list[Statement] = []
        at, is_open = start, False  # open: a statement came, and nothing yet that ends it
        for index, node in enumerate(nodes):
            has_line = self._gap(at, node.start_byte)
            if node.type == "comment":
                is_open = is_open and not has_line
                self._comment(node)
            elif node.type == ";":
                if not is_open or has_line:
                    raise Unclear("syntax", UNSURE)
                is_open = False
            elif node.type == "\n":
                is_open = False
            elif node.type == "&":
                raise Unclear("background", "it leaves something running in the background")
            elif node.type in ends and index == len(nodes) - 1:
                is_open = False
            else:
                if is_open and not has_line and not self._ended_by_document(nodes, index):
                    raise Unclear("syntax", UNSURE)
                items.append(self.statement(node))
                is_open = True
            at = node.end_byte
        self._gap(at, end)
        return Series(items=tuple(items))

    def _ended_by_document(self, nodes: list[Node], index: int) -> bool:
        """Whether a comment's line break, which the grammar does not show, came before this statement."""
        return index > 0 and nodes[index - 1].type == "comment"

    def statement(self, node: Node) -> Statement:
        """Read one statement.

        Raises:
            Unclear: it is of a kind that is not known.
        """
        self._deeper()
        try:
            return self._statement(node)
        finally:
            self._depth -= 1

    def _statement(self, node: Node) -> Statement:
        match node.type:
            case "list":
                return self._and_or(node)
            case "pipeline":
                return self._pipeline(node)
            case "negated_command":
                return self._negated(node)
            case "redirected_statement":
                return self._redirected(node)
            case "command" | "declaration_command" | "unset_command" | "variable_assignment" | "variable_assignments":
                return self._simple([node])
            case "test_command":
                return self._test(node)
        return self._compound_statement(node)

    def _and_or(self, node: Node) -> Statement:
        chain: list[tuple[Node, Node]] = []
        first = node
        while first.type == "list":
            left, *middle, right = first.children
            self._tight(first)
            operators = [child for child in middle if child.type != "comment"]
            if len(operators) != 1 or operators[0].type not in {"&&", "||"}:
                raise Unclear("syntax", UNSURE)
            for child in middle:
                if child.type == "comment":
                    self._comment(child)
            self._blank(left.end_byte, operators[0].start_byte)
            chain.append((operators[0], right))
            first = left
        if any(part.type == "list" for _operator, part in chain):
            raise Unclear("syntax", UNSURE)
        rest = tuple((operator.type, self.statement(part)) for operator, part in reversed(chain))
        return AndOr(first=self.statement(first), rest=rest)

    def _pipeline(self, node: Node, *, lead: bool = False) -> Pipeline:
        """Read a pipeline; with `lead` it begins with its operator, as it does on the line of a here-document."""
        self._tight(node)
        items: list[Statement] = []
        negated = False
        wants_item = not lead
        for child in node.children:
            if child.type == "comment":
                self._comment(child)
            elif child.type in {"|", "|&"}:
                if wants_item:
                    raise Unclear("syntax", UNSURE)
                wants_item = True
                self._no_line_before(child)
            else:
                if not wants_item or child.type in {"list", "pipeline"}:
                    raise Unclear("syntax", UNSURE)
                if child.type == "negated_command":
                    if items or lead:
                        raise Unclear("syntax", UNSURE)
                    negated = True
                    child = self._behind_not(child)
                items.append(self.statement(child))
                wants_item = False
        if wants_item:
            raise Unclear("syntax", UNSURE)
        return Pipeline(items=tuple(items), is_negated=negated)

    def _no_line_before(self, node: Node) -> None:
        before = node.prev_sibling
        if before is not None and self._gap(before.end_byte, node.start_byte):
            raise Unclear("syntax", UNSURE)

    def _behind_not(self, node: Node) -> Node:
        if len(node.children) != 2 or node.children[0].type != "!":
            raise Unclear("syntax", UNSURE)
        bang, inner = node.children
        self._blank(bang.end_byte, inner.start_byte)
        if bang.end_byte == inner.start_byte:
            raise Unclear("syntax", UNSURE)
        return inner

    def _negated(self, node: Node) -> Statement:
        inner = self._behind_not(node)
        if inner.type in {"list", "negated_command"}:
            raise Unclear("syntax", UNSURE)
        return Pipeline(items=(self.statement(inner),), is_negated=True)

    # Redirections

    def _redirected(self, node: Node) -> Statement:
        """Read a statement with its redirections, which the grammar may hang on a whole list; bash, on its last command."""
        self._tight(node)
        body, redirects = node.child_by_field_name("body"), node.children_by_field_name("redirect")
        if len(redirects) + (body is not None) != len(node.children):
            raise Unclear("syntax", UNSURE)
        for left, right in pairwise(node.children):
            self._blank(left.end_byte, right.start_byte)
        if body is None:
            return self._simple(redirects)
        documents = [one for one in redirects if one.type == "heredoc_redirect"]
        if documents and documents != redirects[-1:]:
            raise Unclear("here-document", "it holds more than one here-document")
        last = body
        while last.type in {"list", "pipeline", "negated_command", "redirected_statement"}:
            if last.type == "redirected_statement":
                raise Unclear("syntax", UNSURE)
            last = last.children[-1]
        late = any(len(one.children_by_field_name("destination")) > 1 for one in redirects) or any(
            one.children_by_field_name("argument") for one in documents
        )
        if last.type in {"command", "declaration_command", "unset_command"} and last == body:
            read: Statement = self._simple([body, *redirects])
        elif late:
            raise Unclear("syntax", UNSURE)
        else:
            read = _on_last(self.statement(body), tuple(self._redirect(one)[0] for one in self._flat(redirects)))
        return self._after_document(read, documents[0]) if documents else read

    def _after_document(self, read: Statement, document: Node) -> Statement:
        """Add what stands on the line of a here-document behind its delimiter: `| b`, `&& c`."""
        right = document.child_by_field_name("right")
        operator = document.child_by_field_name("operator")
        piped = [child for child in document.children if child.type == "pipeline"]
        if piped:
            if right is not None or len(piped) > 1 or not isinstance(read, Simple):
                raise Unclear("here-document", "what follows its here-document is not understood")
            tail = self._pipeline(piped[0], lead=True)
            return Pipeline(items=(read, *tail.items))
        if right is None:
            return read
        if operator is None or operator.type not in {"&&", "||"} or not isinstance(read, Simple):
            raise Unclear("here-document", "what follows its here-document is not understood")
        following = self.statement(right)
        if isinstance(following, AndOr):
            return AndOr(first=read, rest=((operator.type, following.first), *following.rest))
        return AndOr(first=read, rest=((operator.type, following),))


def _on_last(statement: Statement, redirects: tuple[Redirection, ...]) -> Statement:
    """Put redirections on the last command of a list or pipeline, where bash has them."""
    if isinstance(statement, AndOr):
        operator, last = statement.rest[-1]
        return replace(statement, rest=(*statement.rest[:-1], (operator, _on_last(last, redirects))))
    if isinstance(statement, Pipeline):
        return replace(statement, items=(*statement.items[:-1], _on_last(statement.items[-1], redirects)))
    return replace(statement, redirects=(*statement.redirects, *redirects))
