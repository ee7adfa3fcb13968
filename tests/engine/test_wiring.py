"""How the engine's parts are put together: each is made whole, and none reaches into another."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import tui_agent.engine

ENGINE = Path(tui_agent.engine.__file__).parent
MODULES = sorted(ENGINE.rglob("*.py"))


def foreign_assignments(tree: ast.AST) -> Iterator[str]:
    """Yield each assignment to an attribute of an object that the code has not made itself in the same function."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for node in _own_nodes(function):
            if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Store | ast.Del):
                continue
            if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
                continue
            yield f"line {node.lineno}: {ast.unparse(node)}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr":
            yield f"line {node.lineno}: {ast.unparse(node)}"


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(function):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
            yield from _own_nodes(child)


def early_lambdas(tree: ast.AST) -> Iterator[str]:
    """Yield each lambda in an `__init__` that names an attribute of `self` which is assigned only further down."""
    for init in ast.walk(tree):
        if not isinstance(init, ast.FunctionDef) or init.name != "__init__":
            continue
        assigned: dict[str, int] = {}
        for node in ast.walk(init):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_of_self(node):
                assigned[node.attr] = min(node.lineno, assigned.get(node.attr, node.lineno))
        for node in ast.walk(init):
            if not isinstance(node, ast.Lambda):
                continue
            for name in ast.walk(node.body):
                if isinstance(name, ast.Attribute) and _is_of_self(name) and assigned.get(name.attr, 0) > node.lineno:
                    yield f"line {node.lineno}: self.{name.attr} is made in line {assigned[name.attr]}"


def _is_of_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.relative_to(ENGINE)))
def test_no_part_assigns_to_another_and_no_lambda_names_a_part_that_is_not_made_yet(module: Path) -> None:
    tree = ast.parse(module.read_text(encoding="utf-8"))
    assert [*foreign_assignments(tree), *early_lambdas(tree)] == []


@pytest.mark.parametrize(
    "body",
    [
        "self.plan.set_mode = self.change",
        "part = Part(); part.name = 'x'",
        "self.a.count += 1",
        "setattr(self.a, 'b', 1)",
        "self.a = Part(lambda: self.b.name); self.c = 1\n        self.b = Part()",
    ],
)
def test_the_check_notices(body: str) -> None:
    tree = ast.parse(f"class Graph:\n    def __init__(self):\n        {body}\n")
    assert [*foreign_assignments(tree), *early_lambdas(tree)]
