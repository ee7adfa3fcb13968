"""Links followed once for one decision lead where links lead."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tui_agent.permissions.path_context import PathContext


@pytest.mark.parametrize("seed", range(3))
def test_remembering_the_way_changes_nothing_about_where_it_leads(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    folders = [tmp_path]
    for number in range(40):
        path = rng.choice(folders) / f"n{number}"
        kind = rng.random()
        if kind < 0.5:
            path.mkdir()
        elif kind < 0.8:
            target = rng.choice(folders)
            path.symlink_to(target if rng.random() < 0.5 else os.path.relpath(target, path.parent))
        else:
            path.symlink_to(rng.choice(["missing/x", str(path), "/nowhere", "../zz"]))
        if path.is_dir() and len(path.parts) < 40:
            folders.append(path)
    where = PathContext(cwd=str(tmp_path), project_root=str(tmp_path), home="/h")
    once = where.for_one_decision()
    for _ in range(1500):
        names = [rng.choice([f"n{rng.randint(0, 40)}", "zz", ".hidden", "..", ""]) for _ in range(rng.randint(0, 3))]
        path = "/".join((str(rng.choice(folders)), *names))
        assert once.resolve(path) == os.path.realpath(path), path


def test_a_link_that_changes_is_followed_anew_by_the_next_decision(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("a")
    where = PathContext(cwd=str(tmp_path), project_root=str(tmp_path), home="/h")
    first = where.for_one_decision()
    assert first.resolve(str(link)).endswith("/a")
    link.unlink()
    link.symlink_to("b")
    assert first.resolve(str(link)).endswith("/a")
    assert where.for_one_decision().resolve(str(link)).endswith("/b")


def test_a_path_that_no_file_can_have_leads_nowhere() -> None:
    once = PathContext(cwd="/w", project_root="/w", home="/h").for_one_decision()
    assert once.resolve("/w/a\0b") == "/w/a\0b"
