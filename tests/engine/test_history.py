"""The conversation as it is sent: valid whatever came before."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tui_agent.engine.conversation.history import UNANSWERED_TEXT, History
from tui_agent.events import AssistantMessageCompleted, ToolResultReady, ToolResultShrunk, UserMessageSent


def use(number: int) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"t{number}", "name": "Read", "input": {}}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def test_results_come_in_the_order_of_the_uses_whatever_finished_first() -> None:
    history = History()
    history.add_user("go")
    history.add_result("t2", "two", is_error=False)
    history.add_reply([text("ok"), use(1), use(2)])
    history.add_result("t1", "one", is_error=True)
    answers = history.messages()[-1]["content"]
    assert [(block["tool_use_id"], block["content"], block.get("is_error", False)) for block in answers] == [
        ("t1", "one", True),
        ("t2", "two", False),
    ]


def test_a_use_without_a_result_is_answered_all_the_same() -> None:
    history = History()
    history.add_user("go")
    history.add_reply([use(1)])
    assert history.messages()[-1]["content"][0]["content"] == UNANSWERED_TEXT


def test_unsigned_thinking_and_blank_text_are_not_sent_back() -> None:
    history = History()
    history.add_user("go")
    history.add_reply(
        [
            {"type": "thinking", "thinking": "a", "signature": ""},
            {"type": "thinking", "thinking": "b", "signature": "sig"},
            text("  "),
            text("hello"),
        ]
    )
    history.add_reply([{"type": "thinking", "thinking": "c", "signature": "sig"}])
    (_, reply) = history.messages()
    assert [block["type"] for block in reply["content"]] == ["thinking", "text"]
    assert reply["content"][0]["signature"] == "sig"


def test_a_tool_name_that_the_api_would_refuse_goes_back_under_one_that_it_takes() -> None:
    history = History()
    history.add_user("go")
    names = ("Read", "x" * 201, "a b/ü", "")
    history.add_reply([{**use(number), "name": name} for number, name in enumerate(names)])
    sent = history.messages()[1]["content"]
    assert [block["name"] for block in sent] == ["Read", "x" * 200, "a_b__", "_"]
    assert [block["tool_use_id"] for block in history.messages()[2]["content"]] == [block["id"] for block in sent]


def test_thinking_made_under_another_prompt_can_be_left_out() -> None:
    history = History()
    history.add_user("go")
    history.add_reply([{"type": "thinking", "thinking": "b", "signature": "sig"}, use(1)])
    history.add_result("t1", "one", is_error=False)
    history.drop_thinking()
    assert [block["type"] for message in history.messages() for block in message["content"]] == [
        "text",
        "tool_use",
        "tool_result",
    ]


def test_what_the_person_says_after_results_joins_their_message() -> None:
    history = History()
    history.add_user("go")
    history.add_reply([use(1)])
    history.add_result("t1", "one", is_error=False)
    history.add_user("and mind the tests", context="<note/>")
    last = history.messages()[-1]
    assert [block["type"] for block in last["content"]] == ["tool_result", "text", "text"]


def test_clearing_leaves_nothing() -> None:
    history = History()
    history.add_user("go")
    history.clear()
    assert history.messages() == []


def test_a_shrunken_result_takes_the_place_of_the_whole_one_live_and_from_a_recording() -> None:
    events = [
        UserMessageSent(message_id="u", text="go"),
        AssistantMessageCompleted(message_id="a", content=[use(1)], stop_reason="tool_use"),
        ToolResultReady(tool_use_id="t1", name="Read", is_error=True, content="x" * 100, kept_in="/kept"),
        ToolResultShrunk(tool_use_id="t1", content="short", reason="context"),
        ToolResultShrunk(tool_use_id="t9", content="of no use that there is", reason="context"),
        UserMessageSent(message_id="u", text="and"),
        AssistantMessageCompleted(message_id="a", content=[text("ok")], stop_reason="end_turn"),
        UserMessageSent(message_id="u", text="more"),
    ]
    history = History.from_events(events)
    block = history.messages()[2]["content"][0]
    assert block == {"type": "tool_result", "tool_use_id": "t1", "content": "short", "is_error": True}
    (old,) = history.old_results()
    assert (old.content, old.kept_in, old.is_error) == ("short", "/kept", True)


def test_what_requests_carried_before_is_not_changed_by_shrinking() -> None:
    history = History()
    history.add_user("go")
    history.add_reply([use(1)])
    history.add_result("t1", "x" * 100, is_error=False)
    sent = history.messages()
    history.shrink("t1", "short")
    assert sent[2]["content"][0]["content"] == "x" * 100


def test_results_are_old_once_another_reply_or_the_persons_next_word_has_followed() -> None:
    history = History()
    history.add_user("go")
    history.add_reply([use(1)])
    history.add_result("t1", "one", is_error=False)
    assert history.old_results() == []
    history.add_user("mind the tests")
    assert history.old_results() == [], "the model has not seen it yet"
    history.add_reply([text("half an answ")])
    assert history.old_results() == []
    history.add_user("go on")
    assert [found.tool_use_id for found in history.old_results()] == ["t1"]
    history.add_reply([use(2)])
    history.add_result("t2", "two", is_error=False)
    assert [found.tool_use_id for found in history.old_results()] == ["t1"]


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("user"), st.text(max_size=3)),
        st.tuples(st.just("reply"), st.integers(0, 3)),
        st.tuples(st.just("blank"), st.just(0)),
    ),
    max_size=12,
)


@given(STEPS, st.sets(st.integers(0, 40)), st.lists(st.integers(0, 40), max_size=20))
def test_any_order_of_additions_and_shrinks_gives_a_conversation_the_api_accepts(
    steps: list[tuple[str, Any]], answered: set[int], shrunken: list[int]
) -> None:
    history = History()
    number = 0
    for kind, value in steps:
        if kind == "user":
            history.add_user(value)
        elif kind == "blank":
            history.add_reply([text(" ")])
        else:
            blocks = [text("x")]
            for _ in range(value):
                blocks.append(use(number))
                if number in answered:
                    history.add_result(f"t{number}", "r", is_error=False)
                number += 1
            history.add_reply(blocks)
        if shrunken:
            history.shrink(f"t{shrunken.pop()}", "")
    messages = history.messages()
    for index, message in enumerate(messages):
        assert message["role"] == ("user" if index % 2 == 0 else "assistant")
        uses = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
        if uses:
            following = messages[index + 1]["content"][: len(uses)]
            assert [block.get("tool_use_id") for block in following] == uses
            assert all(block["content"] for block in following)
    assert messages == history.messages()
    assert len(history.old_results()) <= number
