"""A command text as what bash makes of it: lists, pipelines, loops and simple commands, from the grammar's syntax tree.

Every node's shape is checked to the last character: its children must stand in the order that bash's grammar has them in,
with nothing but blanks between them, and every word is read a second time (`spelling`). What is left is known to be what bash
reads; anything else is `Unclear`.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from tui_agent.permissions.shell.compounds import Compounds
from tui_agent.permissions.shell.layout import UNSURE
from tui_agent.permissions.shell.spelling import Unclear
from tui_agent.permissions.shell.statements import AndOr, Pipeline, Redirection, Series, Statement

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read_syntax"]

Token = Statement | str
"""A command, or an operator between two: `&&`, `||`, `|`; or `!`, which stands before a pipeline."""
_OPERATORS: Final = frozenset({"&&", "||", "|", "|&"})


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
            case "list" | "pipeline":
                return self._chain(node)
            case "negated_command":
                return self._negated(node)
            case "redirected_statement":
                return self._redirected(node)
            case "command" | "declaration_command" | "unset_command" | "variable_assignment" | "variable_assignments":
                return self._simple([node])
            case "test_command":
                return self._test(node)
        return self._compound_statement(node)

    def _chain(self, node: Node) -> Statement:
        """Read a list or a pipeline. However the grammar nests the two, `|` binds tighter than `&&` and `||`."""
        return _grouped(self._flattened(node))

    def _flattened(self, node: Node, *, lead: bool = False) -> list[Token]:
        """Return a node's commands and operators in the order of the text; with `lead` it begins with an operator."""
        if node.type not in {"list", "pipeline"}:
            return _tokens(self.statement(node))
        self._deeper()
        self._tight(node)
        tokens: list[Token] = []
        wants_item = not lead
        for child in node.children:
            if child.type == "comment":
                self._comment(child)
                continue
            is_operator = child.type in _OPERATORS
            if is_operator == wants_item:
                raise Unclear("syntax", UNSURE)
            wants_item = is_operator
            if is_operator:
                self._no_line_before(child)
                tokens.append("|" if child.type == "|&" else child.type)
            else:
                tokens.extend(self._flattened(child))
        if wants_item:
            raise Unclear("syntax", UNSURE)
        self._depth -= 1
        return tokens

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
        if not piped and right is None:
            return read
        if len(piped) + (right is not None) > 1:
            raise Unclear("here-document", "what follows its here-document is not understood")
        if piped:
            return _grouped([*_tokens(read), *self._flattened(piped[0], lead=True)])
        if right is None or operator is None or operator.type not in {"&&", "||"}:
            raise Unclear("here-document", "what follows its here-document is not understood")
        return _grouped([*_tokens(read), operator.type, *self._flattened(right)])


def _tokens(statement: Statement) -> list[Token]:
    """Take a list or a pipeline apart into its commands, its operators, and `!`."""
    if isinstance(statement, AndOr):
        tokens = _tokens(statement.first)
        for operator, part in statement.rest:
            tokens += [operator, *_tokens(part)]
        return tokens
    if isinstance(statement, Pipeline):
        tokens = ["!"] if statement.is_negated else []
        for index, item in enumerate(statement.items):
            tokens += ["|"] * (index > 0) + _tokens(item)
        return tokens
    return [statement]


def _grouped(tokens: list[Token]) -> Statement:
    """Put commands and operators together as bash does: `!` and `|` first, then `&&` and `||` from left to right.

    Raises:
        Unclear: a `!` stands where none may.
    """
    (_nothing, start), *others = _split(tokens)
    first = _piped(start)
    rest = tuple((operator, _piped(part)) for operator, part in others)
    return AndOr(first=first, rest=rest) if rest else first


def _split(tokens: list[Token]) -> list[tuple[str, list[Token]]]:
    """Split at `&&` and `||`; each part comes with the operator before it, the first with none."""
    parts: list[tuple[str, list[Token]]] = [("", [])]
    for token in tokens:
        if isinstance(token, str) and token in {"&&", "||"}:
            parts.append((token, []))
        else:
            parts[-1][1].append(token)
    return parts


def _piped(tokens: list[Token]) -> Statement:
    is_negated = tokens[0] == "!"
    items = [token for token in tokens if isinstance(token, Statement)]
    if "!" in tokens[1:]:
        raise Unclear("syntax", UNSURE)
    return items[0] if len(items) == 1 and not is_negated else Pipeline(items=tuple(items), is_negated=is_negated)


def _on_last(statement: Statement, redirects: tuple[Redirection, ...]) -> Statement:
    """Put redirections on the last command of a list or pipeline, where bash has them."""
    if isinstance(statement, AndOr):
        operator, last = statement.rest[-1]
        return replace(statement, rest=(*statement.rest[:-1], (operator, _on_last(last, redirects))))
    if isinstance(statement, Pipeline):
        return replace(statement, items=(*statement.items[:-1], _on_last(statement.items[-1], redirects)))
    return replace(statement, redirects=(*statement.redirects, *redirects))
