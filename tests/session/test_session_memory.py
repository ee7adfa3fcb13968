"""Memory files in a session: what is asked before they are read, and what the model is told later."""

from __future__ import annotations

from pathlib import Path

from scripted_model import calls, reply, says
from session_front import Front, begin

from tui_agent.commands import AnswerForm
from tui_agent.events import FormRequested, Notice
from tui_agent.queries import MemoryQuery


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def first(front: Front) -> str:
    return str(front.model.requests[0].messages[0]["content"])


async def test_imports_from_outside_are_asked_about_once(place: Path, fronts: list[Front]) -> None:
    write(place / ".git/HEAD", "ref: refs/heads/main\n")
    notes = write(place.parent / "notes.md", "mine alone")
    write(place / "CLAUDE.md", "see @../notes.md")
    fronts.append(front := await begin(place, reply(says(0, "ok"))))
    front.session.submit("hello")
    (asked,) = await front.until(FormRequested)
    assert str(notes) in str(asked.form)
    assert front.model.requests == []
    await front.session.send(AnswerForm(asked.request_id, {"answer": "Read them"}))
    await front.session.wait_idle()
    assert "mine alone" in first(front)
    fronts.append(front := await begin(place, reply(says(0, "ok"))))
    front.session.submit("hello")
    await front.session.wait_idle()
    assert not front.of(FormRequested)
    assert "mine alone" in first(front)


async def test_a_no_is_remembered_too(place: Path, fronts: list[Front]) -> None:
    write(place / ".git/HEAD", "ref: refs/heads/main\n")
    write(place.parent / "notes.md", "mine alone")
    write(place / "CLAUDE.md", "see @../notes.md")
    for count in (1, 0):
        fronts.append(front := await begin(place, reply(says(0, "ok"))))
        front.session.submit("hello")
        for asked in await front.until(FormRequested) if count else ():
            await front.session.send(AnswerForm(asked.request_id, {"answer": "Leave them out"}))
        await front.session.wait_idle()
        assert len(front.of(FormRequested)) == count
        assert "mine alone" not in first(front)


async def test_without_anybody_to_ask_it_is_said(place: Path, fronts: list[Front]) -> None:
    write(place / ".git/HEAD", "ref: refs/heads/main\n")
    write(place.parent / "notes.md", "mine alone")
    write(place / "CLAUDE.md", "see @../notes.md")
    fronts.append(front := await begin(place, reply(says(0, "ok")), is_attended=False))
    front.session.submit("hello")
    await front.session.wait_idle()
    assert "mine alone" not in first(front)
    assert any("outside of this project" in notice.text for notice in front.of(Notice))


async def test_memory_of_a_folder_and_rules_come_with_the_work(place: Path, fronts: list[Front]) -> None:
    write(place / "CLAUDE.md", "top")
    write(place / "sub/CLAUDE.md", "of the folder")
    write(place / ".claude/rules/css.md", "---\npaths: '*.css'\n---\nfor style sheets")
    write(place / "sub/a.css", "a {}")
    hook = '{"hooks": {"InstructionsLoaded": [{"hooks": [{"type": "command", "command": "cat >> heard"}]}]}}'
    scripts = reply(calls(0, "Read", {"file_path": "sub/a.css"}), stop="tool_use"), reply(says(0, "ok"))
    fronts.append(front := await begin(place, *scripts, settings=hook))
    front.session.submit("look")
    await front.session.wait_idle()
    assert "of the folder" not in str(front.model.requests[0].messages)
    later = str(front.model.requests[1].messages)
    assert "of the folder" in later
    assert "for style sheets" in later
    report = await front.session.query(MemoryQuery())
    assert report is not None
    assert [Path(row.path).name for row in report.files] == ["CLAUDE.md", "CLAUDE.md", "css.md"]
    await front.session.close()
    heard = (place / "heard").read_text()
    assert all(reason in heard for reason in ("session_start", "nested_traversal", "path_glob_match"))


async def test_a_new_conversation_gets_the_files_as_they_are_now(place: Path, fronts: list[Front]) -> None:
    file = write(place / "CLAUDE.md", "old words")
    fronts.append(front := await begin(place, reply(says(0, "ok")), reply(says(0, "ok"))))
    front.session.submit("hello")
    await front.session.wait_idle()
    file.write_text("new words")
    front.session.clear()
    front.session.submit("hello")
    await front.session.wait_idle()
    assert "new words" in str(front.model.requests[1].messages)


async def test_the_model_keeps_notes_in_one_folder(place: Path, fronts: list[Front]) -> None:
    names = ("MEMORY.md", "../evil.md", "/etc/evil", "a/../../evil", "link/evil.md", ".hidden")
    writes = [
        reply(calls(0, "MemoryWrite", {"file": name, "content": "note"}, f"w{number}"), stop="tool_use")
        for number, name in enumerate(names)
    ]
    read = reply(calls(0, "MemoryRead", {"file": "MEMORY.md"}, "r"), stop="tool_use")
    options = {"features": ("memory",), "allowed": ("MemoryWrite",)}
    fronts.append(front := await begin(place, *writes, read, reply(says(0, "ok")), **options))
    folder = front.session.runtime.services.notes.path
    folder.mkdir(parents=True)
    (folder / "link").symlink_to(place)
    front.session.submit("remember")
    await front.session.wait_idle()
    from tui_agent.events import ToolResultReady

    results = front.of(ToolResultReady)
    assert [result.is_error for result in results] == [False, True, True, True, True, True, False]
    assert results[-1].content == "note"
    assert sorted(file.name for file in folder.iterdir()) == ["MEMORY.md", "link"]
    assert not list(place.glob("**/evil*"))
    fronts.append(front := await begin(place, reply(says(0, "ok"))))
    assert front.session.runtime.pool.get("MemoryWrite") is None
    front.session.submit("hello")
    await front.session.wait_idle()
    assert "Contents of " + str(folder / "MEMORY.md") in first(front)
