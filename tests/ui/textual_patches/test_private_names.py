"""Private names of Textual are touched in `ui/textual_patches` alone, and each of them there has a canary."""

from __future__ import annotations

import ast
import importlib
import inspect
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import textual

import tui_agent

PROGRAM = Path(tui_agent.__file__).parent
PATCHES = PROGRAM / "ui" / "textual_patches"
TEXTUAL = Path(textual.__file__).parent


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


def defined_in(node: ast.AST, *, is_local: bool = False) -> Iterator[str]:
    """Yield the private names that a piece of code defines, or sets on an object; names within functions are their own."""
    is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name) if not is_local:
            yield from filter(is_private, (name,))
        case ast.Attribute(attr=name, ctx=ast.Store()):
            yield from filter(is_private, (name,))
        case ast.Name(id=name, ctx=ast.Store()) if not is_local:
            yield from filter(is_private, (name,))
    for child in ast.iter_child_nodes(node):
        yield from defined_in(child, is_local=is_local or is_function)


@cache
def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text())


@cache
def names_of_textual() -> frozenset[str]:
    return frozenset(name for file in TEXTUAL.rglob("*.py") for name in defined_in(tree_of(file)))


def own_modules() -> list[Path]:
    """Return the modules that know Textual, but for the patches."""
    return [
        file
        for file in sorted(PROGRAM.rglob("*.py"))
        if "projects" not in file.parts and PATCHES not in file.parents and "textual" in file.read_text()
    ]


def is_of_its_own(node: ast.Attribute) -> bool:
    """Whether a name is asked of `self`, `cls` or `super()`."""
    match node.value:
        case ast.Name(id="self" | "cls") | ast.Call(func=ast.Name(id="super"), args=[]):
            return True
    return False


def imports_of(tree: ast.Module) -> Iterator[str]:
    """Yield what a module imports, dotted."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_no_private_module_or_name_of_textual_is_imported() -> None:
    found = [
        f"{file.relative_to(PROGRAM)}: {name}"
        for file in own_modules()
        for name in imports_of(tree_of(file))
        if name.startswith("textual.") and any(map(is_private, name.split(".")))
    ]
    assert found == []


def test_no_private_name_of_textual_is_read_on_another_object() -> None:
    """`other._name`, where only Textual has such a name; on `self` and `super()` the next test is exact."""
    found = []
    for file in own_modules():
        tree = tree_of(file)
        theirs = names_of_textual() - set(defined_in(tree))
        found += [
            f"{file.relative_to(PROGRAM)}:{node.lineno}: {ast.unparse(node)}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and node.attr in theirs and not is_of_its_own(node)
        ]
        found += [
            f"{file.relative_to(PROGRAM)}:{node.lineno}: {node.value}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in theirs
        ]
        found += [
            f"{file.relative_to(PROGRAM)}:{node.lineno}: {ast.unparse(node)}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Subscript) and "_driver)" in ast.unparse(node.value)
        ]
    assert found == []


@cache
def private_of(kind: type) -> frozenset[str]:
    """Return the private names of a class of Textual: what it defines, and what it sets on itself."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    return frozenset(defined_in(tree)) | frozenset(filter(is_private, vars(kind)))


def test_no_class_overrides_or_uses_a_private_name_of_its_base_in_textual() -> None:
    """Nor sets one by chance: an attribute of ours that Textual has too would break both."""
    found = []
    for file in own_modules():
        if file.name == "__main__.py":
            continue
        module = importlib.import_module(".".join(("tui_agent", *file.relative_to(PROGRAM).with_suffix("").parts)))
        for kind in vars(module).values():
            if not inspect.isclass(kind) or kind.__module__ != module.__name__:
                continue
            bases = [base for base in kind.__mro__ if base.__module__.startswith("textual.")]
            taken = frozenset[str]().union(*map(private_of, bases))
            tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
            used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and is_of_its_own(node)}
            found += [f"{kind.__module__}.{kind.__name__}: {name}" for name in (used | set(defined_in(tree))) & taken]
    assert found == []


def test_every_private_name_that_the_patches_use_has_a_canary() -> None:
    canaries = tree_of(Path(__file__).with_name("test_canaries.py"))
    watched = {
        part
        for node in ast.walk(canaries)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "relies_on"
        if isinstance(node.args[0], ast.Constant)
        for part in str(node.args[0].value).split(".")
    }
    used = set()
    for file in PATCHES.glob("*.py"):
        tree = tree_of(file)
        attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        texts = {
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        imported = {part for name in imports_of(tree) if name.startswith("textual") for part in name.split(".")}
        used |= (attributes | texts | imported | set(defined_in(tree))) & names_of_textual()
        used |= {part for part in imported if is_private(part)}
    assert used - OWN <= watched
    assert used >= {
        "_compositor",
        "_bindings",
        "_fatal_error",
        "_sequence_to_key_events",
    }  # the search finds what is there


# Private names of the patches themselves that Textual has by chance, for something else.
OWN: frozenset[str] = frozenset()
