"""Each package says what lives in it, and what may be imported there."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import tui_agent

ROOT = Path(tui_agent.__file__).parent
PACKAGES = sorted(path.parent for path in ROOT.rglob("__init__.py") if "projects" not in path.relative_to(ROOT).parts)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: str(package.relative_to(ROOT)))
def test_a_package_says_what_it_is_and_what_it_imports(package: Path) -> None:
    doc = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""
    first, _, rest = doc.partition("\n\n")
    assert len(first) > 15
    assert "import" in rest.lower()
