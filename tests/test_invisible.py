"""Characters that nobody sees."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.invisible import first_invisible
from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.decide import decide
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.path_context import PathContext, SandboxTerms
from tui_agent.permissions.rules import RuleSet
from tui_agent.text import reveal

# One of each kind: bidi controls, zero width, soft hyphen, fillers, selectors, tags, blanks, line ends, controls above ASCII.
HIDING = (
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    "\u00ad\u200b\u200c\u200d\u2060\u2061\u2064\u2065\ufeff\ufff9\ufffb\u180e\u034f\U0001d173"
    "\u115f\u1160\u3164\uffa0\u2800\u17b4\ufffc"
    "\ufe00\ufe0e\ufe0f\U000e0100\U000e01ef\u180b"
    "\U000e0001\U000e0020\U000e0041\U000e007f"
    "\u00a0\u1680\u2000\u2003\u2007\u2009\u200a\u202f\u205f\u3000"
    "\u2028\u2029\u0085\u0080\u009b"
)
ALLOW_ALL = RuleSet.from_lists(allow=["Bash"])
WHERE = PathContext(cwd="/w", project_root="/w", home="/h", resolve=lambda path: path)
BOXED = PathContext(
    cwd="/w", project_root="/w", home="/h", resolve=lambda path: path, sandbox=SandboxTerms(is_enabled=True)
)


def behavior(command: str, mode: Mode = "default", where: PathContext = WHERE, rules: RuleSet = ALLOW_ALL) -> str:
    return decide(call_from_input("Bash", {"command": command}, where), rules=rules, mode=mode, where=where).behavior


@pytest.mark.parametrize("hidden", HIDING, ids=[f"U+{ord(one):04X}" for one in HIDING])
def test_a_command_that_hides_something_asks_whatever_it_does_and_wherever_that_stands(hidden: str) -> None:
    for command in (
        f"ls{hidden}",
        f"ls a{hidden}b",
        f"echo 'a{hidden}b'",
        f'git commit -m "a{hidden}b"',
        f"ls # a{hidden}b",
        f"cat <<'E'\na{hidden}b\nE\n",
        f"{hidden}ls",
    ):
        assert behavior(command) == "ask", ascii(command)
        assert behavior(command, "bypassPermissions") == "ask", ascii(command)
        assert behavior(command, where=BOXED) == "ask", ascii(command)


@pytest.mark.parametrize(
    "command",
    [
        "echo 'héllo wörld'", "cat 日本語.md", "echo '日本語　テスト'", "echo 'привет'", "echo 'Ελληνικά'",
        "echo 'שלום'", "echo '한국어'", "echo '✅ done'", "echo '⚠️ careful'", "echo '❤️'", "echo '1️⃣ first'",
        "echo '👩‍💻 👨‍👩‍👧 🏳️‍🌈 👍🏽 ❤️‍🔥'", "echo '→ … – — x'", "echo 'می‌خواهم'", "echo 'क्‍ष'",
        "echo 'cafe\u0301'", "echo '™️ ©️ ↔️'", "ls é ☃", "echo '🇩🇪'",
    ],
)  # fmt: skip
def test_what_is_seen_does_not_ask(command: str) -> None:
    assert behavior(command) == "allow", first_invisible(command)


def test_what_hides_is_named() -> None:
    verdict = decide(
        call_from_input("Bash", {"command": "ls \u202ex"}, WHERE), rules=ALLOW_ALL, mode="default", where=WHERE
    )
    assert "U+202E RIGHT-TO-LEFT OVERRIDE" in verdict.reason
    assert verdict.check == "syntax"
    assert not verdict.offers


def test_a_denied_command_is_denied_all_the_same() -> None:
    assert behavior("evil \u200b", rules=RuleSet.from_lists(deny=["Bash(evil *)"])) == "deny"


def test_every_default_ignorable_and_format_character_hides_by_itself() -> None:
    for point in range(0x80, 0x110000):
        character = chr(point)
        if unicodedata.category(character) in {"Cf", "Zl", "Zp", "Zs"}:
            assert first_invisible(f"a{character}b"), hex(point)


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_plain_ascii_hides_nothing(text: str) -> None:
    assert first_invisible(text) == ""


def test_the_dialog_spells_out_all_that_hides() -> None:
    assert [hidden for hidden in HIDING if hidden in reveal(f"ls a{hidden}b")] == []
