"""What is shown of a search does not depend on the order in which files come, nor on where the output is cut."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tui_agent.tools.grep.collecting import collector
from tui_agent.tools.grep.findings import Findings, result_text
from tui_agent.tools.grep.input import GrepInput

NAMES = st.sampled_from(["a", "a-b", "a/b", "a/c/d", "b\n5:x", "é", "z z"])
TEXTS = st.sampled_from([b"", b"--", b"needle", b"./a", b"1:x", b"caf\xe9", b"x" * 50])
FILES = st.dictionaries(NAMES, st.lists(TEXTS, min_size=1, max_size=5), max_size=6)


def printed(name: str, lines: list[bytes], *, has_context: bool) -> bytes:
    """Return what ripgrep prints for one file; with context every second line is some, and a gap follows each."""
    out: list[bytes] = []
    for number, text in enumerate(lines, 1):
        sign = b"-" if has_context and number % 2 == 0 else b":"
        if has_context and number > 1 and sign == b":":
            out.append(b"--")
        out.append(b"%d%s%s" % (number, sign, text))
    return b"./" + name.encode() + b"\0" + b"\n".join(out) + b"\n"


def collected(output: bytes, cuts: list[int], **fields: Any) -> Findings:
    asked = GrepInput.model_validate({"pattern": "x", "output_mode": "content", **fields})
    found = collector(asked, folder="/w", base="/w", is_denied=lambda path: path.endswith("secret"))
    edges = [0, *sorted(cut % (len(output) + 1) for cut in cuts), len(output)]
    for start, end in pairwise(edges):
        found.add(output[start:end])
    return found.finish()


def key(name: str) -> bytes:
    return name.encode().replace(b"/", b"\0")


@given(
    files=FILES,
    order=st.randoms(use_true_random=False),
    cuts=st.lists(st.integers(0, 10_000), max_size=8),
    limit=st.integers(0, 12),
    offset=st.integers(0, 8),
    has_context=st.booleans(),
)
def test_any_order_and_any_cuts_give_the_same_window(
    files: dict[str, list[bytes]], order: Any, cuts: list[int], limit: int, offset: int, has_context: bool
) -> None:
    names = list(files)
    order.shuffle(names)
    output = b"\n".join(printed(name, files[name], has_context=has_context) for name in names)
    context = {"context": 1} if has_context else {}
    found = collected(output, cuts, head_limit=limit, offset=offset, **context)
    every = [
        (name, number, text.decode("utf-8", "replace"))
        for name in sorted(files, key=key)
        for number, text in enumerate(files[name], 1)
    ]
    assert [(line.path, line.number, line.text) for line in found.lines] == every[
        offset : offset + limit if limit else None
    ]
    assert found.total == len(every)
    assert found.file_count == len(files)
    matches = [number for _, number, _ in every if not has_context or number % 2]
    assert found.matches == len(matches)
    assert found.left_out == len(every) - offset - len(found.lines) or found.left_out == 0
    assert result_text(found)


def test_a_denied_file_between_others_leaves_nothing_behind() -> None:
    output = b"./a\x001:x\n\n./secret\x001:key\n--\n7:key\n\n./z\x002:x\n"
    for cut in range(len(output)):
        found = collected(output, [cut])
        assert ([line.path for line in found.lines], found.total, found.file_count) == (["a", "z"], 2, 2)


def test_remarks_stand_for_their_file() -> None:
    output = (
        b'./a: binary file matches (found "\\0" byte around offset 9)\n\n./b\x001:x\n'
        b'./b: WARNING: stopped searching binary file after match (found "\\0" byte around offset 4)\n'
        b'\n./c: binary file matches (found "\\0" byte around offset 9)\n'
    )
    for cut in range(len(output)):
        found = collected(output, [cut])
        assert [(line.path, line.number, line.text[:7]) for line in found.lines] == [
            ("a", 0, "binary "), ("b", 1, "x"), ("b", 0, "WARNING"), ("c", 0, "binary "),
        ]  # fmt: skip
        assert result_text(found).startswith(
            'a:binary file matches (found "\\0" byte around offset 9)\nb:1:x\nb:WARNING'
        )


def test_without_a_limit_the_first_two_megabytes_are_shown_and_the_rest_is_counted() -> None:
    line = b"1:" + b"x" * 998 + b"\n"
    output = b"\n".join(b"./%s\0" % name + line * 1500 for name in (b"c", b"a", b"b"))
    found = collected(output, list(range(0, len(output), 50_000)), head_limit=0)
    assert {entry.path for entry in found.lines} <= {"a", "b"}
    assert (found.total, found.left_out) == (4500, 4500 - len(found.lines))
    assert 1500 <= len(found.lines) <= 2200
