"""Compound commands: conditions, loops, cases, groups; each clause where bash's grammar has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui_agent.permissions.shell.commands import Commands
from tui_agent.permissions.shell.layout import GAP, UNSURE
from tui_agent.permissions.shell.spelling import Unclear
from tui_agent.permissions.shell.statements import Arithmetic, Case, For, Group, If, Series, Spelling, Statement, While

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Compounds"]


class Compounds(Commands):
    """Reads compound commands."""

    def _sequence(self, nodes: list[Node], start: int, end: int, *, ends: tuple[str, ...] = ()) -> Series:
        raise NotImplementedError

    def _compound_statement(self, node: Node) -> Statement:
        """Read a statement that has others in it.

        Raises:
            Unclear: it is of a kind that is not known.
        """
        match node.type:
            case "subshell":
                return Group(body=self._between(node, "(", ")"), is_subshell=True)
            case "compound_statement":
                return self._compound(node)
            case "if_statement":
                return self._if(node)
            case "for_statement":
                return self._for(node)
            case "c_style_for_statement":
                return self._counting_for(node)
            case "while_statement":
                return self._while(node)
            case "case_statement":
                return self._case(node)
            case "function_definition":
                raise Unclear("function", "it defines a function")
        raise Unclear("unknown-construct", f"it has an unknown construct ({node.type.replace('_', ' ')})")

    def _between(self, node: Node, opening: str, closing: str, *, ends: tuple[str, ...] = ()) -> Series:
        first, *inner, last = node.children
        if first.type != opening or last.type != closing:
            raise Unclear("syntax", UNSURE)
        return self._some(self._sequence(inner, first.end_byte, last.start_byte, ends=ends))

    def _some(self, body: Series) -> Series:
        if not body.items:
            raise Unclear("syntax", UNSURE)
        return body

    def _compound(self, node: Node) -> Statement:
        if node.children[0].type == "((":
            text = self._text(node)
            if not text.startswith("((") or not text.endswith("))"):
                raise Unclear("arithmetic", "it holds arithmetic that is not understood")
            return Arithmetic(expressions=(text[2:-2],))
        body = self._between(node, "{", "}")
        self._ended(node.children[:-1])
        if self._source[node.start_byte + 1] not in " \t\n":
            raise Unclear("syntax", UNSURE)
        return Group(body=body, is_subshell=False)

    def _ended(self, nodes: list[Node]) -> None:
        """Check that the last statement is ended, so that the shell's own word behind it is one."""
        last = nodes[-1]
        following = last.next_sibling
        if last.type in {";", "\n", ";;"} or following is None:
            return
        if last.type == "comment" or self._gap(last.end_byte, following.start_byte):
            return
        raise Unclear("syntax", UNSURE)

    def _clauses(self, node: Node, words: tuple[str, ...]) -> dict[str, Series]:
        """Split a node's children at the shell's own words, which must come in this order, and read what stands behind each."""
        out: dict[str, Series] = {}
        children = node.children
        places = [index for index, child in enumerate(children) if not child.is_named and child.type in words]
        if [children[index].type for index in places] != list(words) or places[0] != 0:
            raise Unclear("syntax", UNSURE)
        for place, index in enumerate(places):
            stop = places[place + 1] if place + 1 < len(places) else len(children)
            inner = children[index + 1 : stop]
            end = children[stop].start_byte if stop < len(children) else node.end_byte
            if stop < len(children):
                self._ended(inner or [children[index]])
            out[words[place]] = self._sequence(inner, children[index].end_byte, end) if inner else Series(items=())
        return out

    def _if(self, node: Node) -> If:
        main = [child for child in node.children if child.type not in {"elif_clause", "else_clause"}]
        clauses = [child for child in node.children if child.type in {"elif_clause", "else_clause"}]
        if [child.type for child in clauses if child.type == "else_clause"] not in ([], ["else_clause"]):
            raise Unclear("syntax", UNSURE)
        if clauses and any(child.type == "else_clause" for child in clauses[:-1]):
            raise Unclear("syntax", UNSURE)
        self._tight(node)
        kinds = [child.type for child in main if not child.is_named and child.type in {"if", "then", "fi"}]
        if kinds != ["if", "then", "fi"] or main[-1].type != "fi" or main[0].type != "if":
            raise Unclear("syntax", UNSURE)
        then = next(index for index, child in enumerate(main) if child.type == "then")
        stop = clauses[0] if clauses else main[-1]
        self._ended(main[1:then])
        branches = [
            (
                self._some(self._sequence(main[1:then], main[0].end_byte, main[then].start_byte)),
                self._some(self._sequence(main[then + 1 : -1], main[then].end_byte, stop.start_byte)),
            )
        ]
        self._ended([child for child in node.children if child.end_byte <= stop.start_byte])
        otherwise: Series | None = None
        for clause in clauses:
            if clause.type == "elif_clause":
                read = self._clauses(clause, ("elif", "then"))
                branches.append((self._some(read["elif"]), self._some(read["then"])))
            else:
                otherwise = self._some(self._clauses(clause, ("else",))["else"])
            self._closed(clause)
        return If(branches=tuple(branches), otherwise=otherwise)

    def _closed(self, clause: Node) -> None:
        """Check that a clause's last statement is ended before what follows the clause."""
        last, following = clause.children[-1], clause.next_sibling
        if last.type in {";", "\n", "comment"} or following is None:
            return
        if not self._gap(last.end_byte, following.start_byte):
            raise Unclear("syntax", UNSURE)

    def _body(self, node: Node | None) -> Series:
        if node is None or node.type != "do_group":
            raise Unclear("loop", "it holds a loop that is not understood")
        body = self._between(node, "do", "done")
        self._ended(node.children[:-1])
        return body

    def _for(self, node: Node) -> For:
        self._tight(node)
        name, body = node.child_by_field_name("variable"), node.child_by_field_name("body")
        values = node.children_by_field_name("value")
        if node.children[0].type != "for" or name is None or name.type != "variable_name" or body is None:
            raise Unclear("loop", "it holds a loop that is not understood")
        middle = [child for child in node.children[2:-1] if child not in values]
        shape = [child.type for child in middle if child.type not in {"comment", "\n"}]
        if node.children[1] != name or node.children[-1] != body or shape not in (["in", ";"], ["in"], [";"], []):
            raise Unclear("loop", "it holds a loop that is not understood")
        before = node.children[-2]
        if (
            before.type != ";"
            and not self._gap(before.end_byte, body.start_byte)
            and before.type not in {"\n", "comment"}
        ):
            raise Unclear("syntax", UNSURE)
        text = self._text(name)
        if "in" not in shape:
            return For(name=text, words=None, body=self._body(body))
        at = next(child for child in middle if child.type == "in").end_byte
        runs: list[list[Node]] = []
        for value in values:
            if runs and runs[-1][-1].end_byte == value.start_byte:
                runs[-1].append(value)
            else:
                self._blank(at, value.start_byte)
                runs.append([value])
            at = value.end_byte
        words = tuple(self._spelling(run[0].start_byte, run[-1].end_byte) for run in runs)
        return For(name=text, words=words, body=self._body(body))

    def _counting_for(self, node: Node) -> Arithmetic:
        self._tight(node)
        kinds = [child.type for child in node.children]
        if kinds[:2] != ["for", "(("] or "))" not in kinds:
            raise Unclear("loop", "it holds a loop that is not understood")
        opening, closing = node.children[1], node.children[kinds.index("))")]
        expressions = self._source[opening.end_byte : closing.start_byte].split(";")
        rest = [kind for kind in kinds[kinds.index("))") + 1 :] if kind not in {"\n", "comment"}]
        if len(expressions) != 3 or rest not in ([";", "do_group"], ["do_group"]):
            raise Unclear("loop", "it holds a loop that is not understood")
        return Arithmetic(expressions=tuple(expressions), body=self._body(node.children[-1]))

    def _while(self, node: Node) -> While:
        self._tight(node)
        kind = node.children[0].type
        body = node.children[-1]
        if kind not in {"while", "until"} or body.type != "do_group":
            raise Unclear("loop", "it holds a loop that is not understood")
        self._ended(node.children[1:-1])
        condition = self._sequence(node.children[1:-1], node.children[0].end_byte, body.start_byte)
        return While(condition=self._some(condition), body=self._body(body), is_until=kind == "until")

    def _case(self, node: Node) -> Case:
        self._tight(node)
        value = node.children_by_field_name("value")
        items = [child for child in node.children if child.type == "case_item"]
        kinds = [
            child.type
            for child in node.children
            if child not in value and child.type not in {"case_item", "comment", "\n"}
        ]
        if kinds != ["case", "in", "esac"] or not value:
            raise Unclear("unknown-construct", "it holds a case that is not understood")
        word = self._spelling(value[0].start_byte, value[-1].end_byte)
        arms: list[tuple[tuple[Spelling, ...], Series]] = []
        for index, item in enumerate(items):
            arms.append(self._arm(item, is_last=index == len(items) - 1))
        return Case(word=word, arms=tuple(arms))

    def _arm(self, item: Node, *, is_last: bool) -> tuple[tuple[Spelling, ...], Series]:
        self._tight(item)
        children = item.children
        closing = next((index for index, child in enumerate(children) if child.type == ")"), 0)
        if not closing:
            raise Unclear("unknown-construct", "it holds a case that is not understood")
        at = item.start_byte + (1 if children[0].type == "(" else 0)
        patterns: list[Spelling] = []
        while True:
            gap = GAP.match(self._source, at)
            at = gap.end() if gap else at
            pieces, stop = self._read(at)
            patterns.append(Spelling(self._source[at:stop], pieces))
            gap = GAP.match(self._source, stop)
            at = gap.end() if gap else stop
            if self._source[at : at + 1] != "|":
                break
            at += 1
        if at != children[closing].start_byte or any(pattern.raw == "esac" for pattern in patterns):
            raise Unclear("unknown-construct", "it holds a case that is not understood")
        inner = children[closing + 1 :]
        if not is_last and (not inner or inner[-1].type != ";;"):
            raise Unclear("unknown-construct", "it holds a case that is not understood")
        if inner and inner[-1].type in {";&", ";;&"}:
            raise Unclear("unknown-construct", "a case runs on into the next one")
        following = item.next_sibling
        is_open = bool(inner) and inner[-1].type not in {";;", ";", "\n", "comment"}
        if is_open and following is not None and not self._gap(inner[-1].end_byte, following.start_byte):
            raise Unclear("syntax", UNSURE)
        return tuple(patterns), self._sequence(inner, children[closing].end_byte, item.end_byte, ends=(";;",))
