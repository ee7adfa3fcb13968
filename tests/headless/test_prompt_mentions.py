from __future__ import annotations

import io
import sys

import pytest

from tui_agent.headless.answer import _full_prompt
from tui_agent.headless.output import CliOutput
from tui_agent.mentions import mentions_in


class Piped(io.TextIOWrapper):
    def isatty(self) -> bool:
        return False


@pytest.mark.parametrize(
    ("prompt", "piped", "whole", "mentioned"),
    [
        ("see @a.py", "log of @b.py", "see @a.py\n\nlog of @b.py", ["a.py"]),
        ("", "explain @b.py\n", "explain @b.py", ["b.py"]),
        ("see @a.py", "", "see @a.py", ["a.py"]),
    ],
)
def test_what_is_piped_in_goes_along_and_names_no_files(
    prompt: str, piped: str, whole: str, mentioned: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Piped(io.BytesIO(piped.encode()), encoding="utf-8"))
    draft = _full_prompt(prompt, CliOutput())
    assert draft.whole == whole
    assert [mention.readings[0].path for mention in mentions_in(draft.text)] == mentioned
