"""The wheel holds everything the program needs, and what is installed from it starts."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
START = """
import asyncio, sys, tui_agent
from tui_agent.ui.app import TuiAgentApp

async def main() -> None:
    async def connect(*_: object) -> None:
        await asyncio.Event().wait()

    app = TuiAgentApp(connect)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        print(tui_agent.__file__)
        print("styled" if app.screen.styles.background.hex else "bare", len(app.css_path))

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    environment = {**os.environ, "PIP_NO_INDEX": "1", "no_proxy": "*", "HTTPS_PROXY": "http://127.0.0.1:9"}
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        env=environment,
        check=True,
        capture_output=True,
        timeout=60,
    )
    (built,) = folder.glob("*.whl")
    return built


def test_styles_scenarios_and_the_type_marker_are_in_the_wheel(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    styles = {f"tui_agent/styles/{path.name}" for path in (ROOT / "styles").glob("*.tcss")}
    assert styles
    assert styles <= names
    assert "tui_agent/py.typed" in names
    data = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tui_agent" / "model").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert data <= names
    assert not [name for name in names if name.startswith("tests/") or "__pycache__" in name]


@pytest.mark.timeout(120)
def test_the_app_starts_from_an_installed_wheel(wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True, timeout=60)
    (packages,) = environment.glob("lib/python*/site-packages")
    zipfile.ZipFile(wheel).extractall(packages)
    # Dependencies come from here without a network; a plain path in a .pth file does not follow the .pth files in it, so
    # the checkout that this environment runs from stays out of reach.
    (packages / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    done = subprocess.run(
        [str(environment / "bin" / "python"), "-c", START],
        cwd=tmp_path,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "TUI_AGENT_HOME": str(tmp_path / "state"),
            "LANG": "C.UTF-8",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    where, looks = done.stdout.splitlines()
    assert where.startswith(str(packages))
    assert looks.startswith("styled")
    assert int(looks.split()[1]) >= 1


def test_every_direct_dependency_is_imported_somewhere() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    names = {entry.split(">")[0].split("<")[0].split("=")[0].split("[")[0].strip() for entry in listed}
    modules = {
        "markdown-it-py": "markdown_it",
        "tree-sitter": "tree_sitter",
        "tree-sitter-bash": "tree_sitter_bash",
        "charset-normalizer": "charset_normalizer",
        "mcp-types": "mcp_types",
        "pyyaml": "yaml",
        "pillow": "PIL",
        "ripgrep": "",  # a program, not a module
    }
    source = "\n".join(path.read_text() for path in (ROOT / "tui_agent").rglob("*.py"))
    for name in names:
        module = modules.get(name, name)
        assert not module or f"import {module}" in source or f"from {module}" in source, f"{name} is not used"


def test_ci_runs_exactly_what_the_readme_says() -> None:
    readme = (ROOT / "README.md").read_text()
    command = (ROOT / ".ci" / "run").read_text().splitlines()[-1]
    assert command.endswith(".ci/check")
    assert f"\n{command}\n" in readme
    assert command in (ROOT / "CONTRIBUTING.md").read_text()
