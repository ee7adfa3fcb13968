"""Forms and tasks in the projection."""

from __future__ import annotations

from recording import Recording

from tui_agent.events import (
    FormAnswered,
    FormRequested,
    HistoryCleared,
    PermissionRequested,
    PermissionResolved,
    ProposedFileChanged,
    SessionStarted,
    TasksChanged,
)
from tui_agent.ui.projection.projection import Projection


def asking() -> tuple[Recording, Projection]:
    log = Recording()
    log.begin("go")
    log.reply()
    log.use("u", "AskUserQuestion", {"questions": []})
    log.execute("u")
    log.wait(100)
    log.say(FormRequested(request_id="f", tool_use_id="u", form={"title": "t", "fields": []}))
    projection = Projection()
    assert projection.apply(log.events).requests
    return log, projection


def test_a_tool_whose_form_is_open_waits_for_the_person_and_does_not_run_meanwhile() -> None:
    log, projection = asking()
    use = projection.tools["u"]
    assert [request.request_id for request in projection.requests] == ["f"]
    assert (use.phase, projection.status.activity) == ("waiting", "waits for you")
    known = len(log.events)
    log.wait(5000)
    log.say(FormAnswered(request_id="f", tool_use_id="u", answers={}, by="person"))
    log.wait(50)
    log.result("u", "AskUserQuestion", "b", ms=0)
    dirty = projection.apply(log.events[known:])
    assert dirty.requests
    assert projection.requests == []
    assert (use.phase, use.waited_ms) == ("yielded", 5000)
    assert sum(stop - start for start, stop in use.runs) == 150


def test_a_session_that_starts_over_has_no_open_form() -> None:
    _, projection = asking()
    projection.apply([SessionStarted(cwd="/w", model="m", mode="default", version="0")])
    assert projection.requests == []


def test_how_the_files_of_a_change_stand_is_known_as_long_as_it_is_asked_about() -> None:
    def stands(path: str, standing: str) -> ProposedFileChanged:
        return ProposedFileChanged(request_id="p", tool_use_id="u", path=path, standing=standing)  # type: ignore[arg-type]

    projection = Projection()
    projection.apply(
        [PermissionRequested(request_id="p", tool_use_id="u", name="Edit", input={}, by="rule", reason="")]
    )
    assert projection.on_disk("p") == {}
    dirty = projection.apply([stands("/a", "changed"), stands("/b", "gone")])
    assert dirty.requests
    assert projection.on_disk("p") == {"/a": "changed", "/b": "gone"}
    before = projection.on_disk("p")
    projection.apply([stands("/a", "as_read")])
    assert (projection.on_disk("p"), projection.on_disk("other")) == ({"/b": "gone"}, {})
    assert before == {"/a": "changed", "/b": "gone"}, "what a screen was shown must not change under it"
    projection.apply([PermissionResolved(request_id="p", tool_use_id="u", behavior="deny", by="person")])
    assert projection.on_disk("p") == {}


def test_tasks_are_what_was_told_last_until_the_conversation_is_cleared() -> None:
    projection = Projection()
    dirty = projection.apply([TasksChanged(tasks=({"id": "1"},)), TasksChanged(tasks=({"id": "2"},))])
    assert dirty.tasks
    assert projection.tasks == ({"id": "2"},)
    assert projection.apply([HistoryCleared()]).tasks
    assert projection.tasks == ()
