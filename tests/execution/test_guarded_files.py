"""A file that its owner protected is not replaced without a word, in no mode but the one that asks nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from test_judged_then_changed import WRITES, World

from tui_agent.permissions.verdict import Decision
from tui_agent.tools.file_changes import guarded_files

OLD = {kind: use for kind, use in WRITES.items() if "new" not in kind}


@pytest.mark.parametrize("kind", OLD)
async def test_a_read_only_file_is_asked_about_with_the_reason(kind: str, tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.read_all()
    for path in (world.work / "src").iterdir():
        path.chmod(0o444)
    asked = await world.use(*OLD[kind])  # nobody says yes
    assert asked.error_kind == "denied"
    verdict = world.runtime.gate.judge(world.runtime.gate.calls[-1], ())
    name = "n.ipynb" if kind == "NotebookEdit" else "0.txt"
    assert verdict.behavior == "ask"
    assert f"`src/{name}` is read-only (mode 0444)" in verdict.reason
    assert (world.work / "src/0.txt").read_text() == "x\n"


async def test_with_a_yes_it_is_written_and_stays_read_only(tmp_path: Path) -> None:
    world = World(tmp_path, mode="default")
    await world.read_all()
    path = world.work / "src/0.txt"
    path.chmod(0o440)
    outcome = await world.use(*WRITES["Edit"])
    assert not outcome.is_error
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("y\n", 0o440)


async def test_where_nothing_is_asked_it_is_written(tmp_path: Path) -> None:
    world = World(tmp_path, mode="bypassPermissions")
    await world.read_all()
    (world.work / "src/0.txt").chmod(0o444)
    assert not (await world.use(*WRITES["Edit"])).is_error


async def test_ordinary_files_and_new_ones_are_not_asked_about(tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.read_all()
    (world.work / "src/0.txt").chmod(0o600)
    for number, kind in enumerate(("Edit", "Write, a new file", "MultiEdit", "NotebookEdit")):
        if kind == "MultiEdit":
            (world.work / "src/0.txt").write_text("x\n")
            await world.use("Read", {"file_path": "src/0.txt"}, "r")
        assert not (await world.use(*WRITES[kind], f"t{number}")).is_error, kind


async def test_a_file_of_somebody_else_is_asked_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path)
    await world.read_all()
    path = world.work / "src/0.txt"
    path.chmod(0o666)
    owner = path.stat().st_uid
    monkeypatch.setattr(guarded_files.os, "geteuid", lambda: owner + 1)
    assert (await world.use(*WRITES["Edit"])).error_kind == "denied"
    verdict = world.runtime.gate.judge(world.runtime.gate.calls[-1], ())
    assert "`src/0.txt` belongs to the user" in verdict.reason
    assert "makes it yours" in verdict.reason


@pytest.mark.parametrize(
    ("mode", "user", "groups", "is_writable"),
    [
        (0o644, 7, (9,), True), (0o444, 7, (9,), False), (0o466, 7, (9,), False),
        (0o464, 8, (9,), True), (0o446, 8, (9,), False), (0o446, 8, (10,), True),
        (0o444, 0, (0,), False), (0o400, 0, (0,), False), (0o020, 0, (0,), True),
    ],
)  # fmt: skip
def test_who_may_write_is_told_by_the_mode(
    mode: int, user: int, groups: tuple[int, ...], is_writable: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guarded_files.os, "geteuid", lambda: user)
    monkeypatch.setattr(guarded_files.os, "getegid", lambda: groups[0])
    monkeypatch.setattr(guarded_files.os, "getgroups", lambda: list(groups))
    status = os.stat_result((0o100000 | mode, 1, 1, 1, 7, 9, 0, 0, 0, 0))
    assert guarded_files._is_writable(status) is is_writable


BROKEN: dict[str, Any] = {
    "no JSON": "print(1)\n",
    "not a notebook": "{}",
    "a cell of no kind": '{"cells": [{"cell_type": "x"}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
}


@pytest.mark.parametrize("kind", BROKEN)
async def test_a_notebook_that_cannot_be_opened_is_not_written(kind: str, tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.read_all()
    for number, name in enumerate(("n.ipynb", "fresh.ipynb", "Fresh.IPYNB")):
        before = {path.name for path in (world.work / "src").iterdir()}
        text = (world.work / "src/n.ipynb").read_text()
        outcome = await world.use("Write", {"file_path": f"src/{name}", "content": BROKEN[kind]}, f"t{number}")
        assert (outcome.data or {}).get("code") == "bad_notebook"
        assert "NotebookEdit" in str(outcome.content)
        assert {path.name for path in (world.work / "src").iterdir()} == before
        assert (world.work / "src/n.ipynb").read_text() == text


async def test_a_notebook_that_is_one_is_written(tmp_path: Path) -> None:
    world = World(tmp_path)
    text = (world.work / "src/n.ipynb").read_text()
    assert not (await world.use("Write", {"file_path": "src/fresh.ipynb", "content": text})).is_error
    assert (world.work / "src/fresh.ipynb").read_text() == text


async def test_a_part_of_a_notebook_is_not_written_when_it_makes_none(tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.read_all()
    path = world.work / "src/n.ipynb"
    text = path.read_text()
    tool = world.runtime.execution_context.pool.get("Write")
    assert tool is not None
    world.mode = "default"
    whole = text.replace('"source": "x"', '"source": "y"')
    world.runtime.gate.answer = lambda use_id, _decision: world.runtime.gate.open[use_id][1].set_result(  # type: ignore[method-assign]
        _edited(world.runtime.gate.open[use_id][0], "{")
    )
    outcome = await world.use("Write", {"file_path": "src/n.ipynb", "content": whole})
    assert (outcome.data or {}).get("code") == "bad_notebook"
    assert path.read_text() == text


def _edited(question: Any, text: str) -> Any:
    from tui_agent.execution.responders import ResponderAnswer

    approved = tuple(change.approve(None, text) for change in question.proposals)
    return ResponderAnswer(decision=Decision(behavior="allow", approved=approved), by="person")
