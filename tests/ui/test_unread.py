from __future__ import annotations

from tui_agent.ui.projection.blocks import Block, BlockKind
from tui_agent.ui.projection.unread import Unread


def block(kind: BlockKind, group: str = "") -> Block:
    return Block(id=f"{kind}{group}", kind=kind, group=group)


def test_the_parts_of_a_reply_count_once_and_those_of_the_one_being_read_not_at_all() -> None:
    blocks = [block("user", "m1"), block("text", "a1")]
    news = Unread()
    news.start(blocks)
    blocks += [block("text", "a1")] * 3
    news.count(blocks, 2)
    assert (news.number, news.has_more) == (0, True)
    blocks += [block("tool"), block("tool"), block("thinking", "a2"), block("text", "a2"), block("text", "a2")]
    news.count(blocks, 5)
    assert news.number == 3
    blocks += [block("turn"), block("user", "m2"), block("notice")]
    news.count(blocks, 10)
    assert news.number == 5
    news.start(blocks)
    assert (news.number, news.has_more) == (0, False)
