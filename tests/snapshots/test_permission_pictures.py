"""What a user decides by: questions with several commands and rules, a command being edited, and the permissions screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import pytest
from pictures import Album, Stage, settle, staged
from recording import SHOP, Recording
from textual.pilot import Pilot

from tui_agent.boundary import Pending
from tui_agent.events import PermissionRequested
from tui_agent.permissions.verdict import DecisionStep, PartVerdict, Verdict
from tui_agent.queries import (
    Coverage,
    CoverageQuery,
    CoveredCall,
    Denial,
    JudgeQuery,
    PermissionsQuery,
    PermissionsReport,
    Query,
    RuleFiles,
    RuleRow,
    TrialQuery,
)
from tui_agent.ui.dialogs import always, edited_command, permissions_try, rule_editor
from tui_agent.ui.dialogs.input_grace import InputGrace
from tui_agent.ui.replay import picture
from tui_agent.ui.screens.permissions import PermissionsScreen

SIZES = [(120, 40), (80, 24), (60, 20)]
INSTALL = "git fetch origin && npm test -- --watch=false | tee out.log; curl -fsS https://example.com/tax.json"
BUILD = "npm run build -- -u"
ASKS: dict[str, str] = {"by": "default", "behavior": "ask"}
PARTS = (
    PartVerdict(command="git fetch origin", reason="`git fetch` opens a connection", check="network", **ASKS),  # type: ignore[arg-type]
    PartVerdict(
        command="npm test -- --watch=false", behavior="allow", by="rule", reason="allowed", rule="Bash(npm test *)"
    ),
    PartVerdict(command="tee out.log", reason="it writes `out.log`", check="writes-files", **ASKS),  # type: ignore[arg-type]
    PartVerdict(
        command="curl -fsS https://example.com/tax.json",
        reason="it opens a connection",
        check="network",
        **ASKS,  # type: ignore[arg-type]
    ),
)
STEPS = (
    DecisionStep("deny rules", "no match"),
    DecisionStep("ask rules", "no match"),
    DecisionStep("allow rules", "ask"),
)


def judged(command: str) -> Verdict:
    if "rm -rf" in command:
        rule = "Bash(rm -rf *)"
        return Verdict(behavior="deny", by="rule", reason=f"`{rule}` denies it", rule=rule, source=f"{SHOP}/s.json")
    if command.startswith("npm test"):
        return Verdict(behavior="allow", by="rule", reason="`Bash(npm test *)` allows it", rule="Bash(npm test *)")
    parts = PARTS if "&&" in command else ()
    return Verdict(
        behavior="ask",
        by="classifier",
        reason="no rule allows part of it",
        check="network",
        parts=parts,
        steps=STEPS,
        offers=(("Bash(git fetch *)",), ("Edit(./out.log)",)) if parts else (("Bash(npm run build *)",),),
    )


def asked(command: str) -> CoveredCall:
    return CoveredCall("Bash", {}, command)


A = TypeVar("A")

FILES = RuleFiles(
    local=f"{SHOP}/.tui-agent/settings.local.json",
    project=f"{SHOP}/.tui-agent/settings.json",
    user="/home/dev/.config/tui-agent/settings.json",
)


class Room:
    """Permissions that stand still."""

    def report(self) -> PermissionsReport:
        return PermissionsReport(self.rules(), self.recent_denials(), (SHOP, "/home/dev/src/shared"), FILES)

    def rules(self) -> tuple[RuleRow, ...]:
        def row(behavior: Any, text: str, kind: Any, source: str, line: int = 0, **more: Any) -> RuleRow:
            return RuleRow(text=text, behavior=behavior, kind=kind, source=source, line=line, **more)

        local, shared = FILES.local, FILES.project
        return (
            row("deny", "Read(.env)", "project", shared, 4),
            row("deny", "Bash(curl *)", "policy", "/etc/tui-agent/settings.json", 7, is_removable=False),
            row("ask", "Bash(git push *)", "user", "/home/dev/.config/tui-agent/settings.json", 3),
            row("allow", "Bash(npm run build *)", "session", "session"),
            row("allow", "Bash(npm test *)", "local", local, 5),
            row("allow", "Edit(/src/**)", "local", local, 6),
            row("allow", "Glob(src)", "local", local, 7, problem="`Glob(src)` never matches: use `Read(src)`"),
            row(
                "allow",
                "Bash(echo \u202e)",
                "project",
                "/home/dev/src/shop/.claude/settings.json",
                9,
                is_removable=False,
            ),
        )

    def recent_denials(self) -> tuple[Denial, ...]:
        return (
            Denial(
                time=1_780_000_000.0,
                tool="Bash",
                subject="rm -rf build",
                by="rule",
                reason="`Bash(rm -rf *)` denies it",
            ),
            Denial(
                time=1_780_000_060.0, tool="WebFetch", subject="https://example.com", by="person", reason="use the docs"
            ),
        )

    def covered(self, rules: Sequence[str]) -> Coverage:
        calls = [asked("npm run build -- --fast"), asked("npm run build")]
        for start, command in (("Bash(git fetch", INSTALL), ("Bash(npm run build *", BUILD)):
            if any(rule.startswith(start) for rule in rules):
                calls.append(CoveredCall("Bash", {"command": command}, command))
        return Coverage(tuple(calls), 5)


class AskingStage(Stage):
    """A recording in which questions are judged."""

    def query(self, query: Query[A]) -> Pending[A]:
        match query:
            case PermissionsQuery():
                answer: Any = Room().report()
            case CoverageQuery():
                answer = Room().covered(query.rules)
            case TrialQuery() | JudgeQuery():
                answer = judged(str(query.input.get("command")))
            case _:
                return super().query(query)
        return Pending.of(answer)


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits: the grace period is over, and what is said after a pause is said at once."""
    monkeypatch.setattr(InputGrace, "is_open", True)
    for module in (always, edited_command, permissions_try, rule_editor):
        monkeypatch.setattr(module, "_CALM_S", 0.001)


def question(command: str, number: int, **fields: Any) -> PermissionRequested:
    values: dict[str, Any] = {"reason": "no rule allows part of it", "check": "network", "monotonic_ms": 2000.0}
    return PermissionRequested(
        request_id=f"q{number}", tool_use_id=f"u{number}", name="Bash", by="classifier", cwd=SHOP,
        input={"command": command}, **(values | fields),
    )  # fmt: skip


SEVERAL = question(
    INSTALL, 1, offers=(("Bash(git fetch *)", "Bash(git fetch origin)"), ("Edit(./out.log)",), ("Bash(curl *)",))
)
SINGLE = question(BUILD, 2, offers=(("Bash(npm run build *)", "Bash(npm run build -- -u)"),))


async def press(app: Any, pilot: Pilot[Any], keys: str) -> None:
    await pilot.press(*keys.split())
    await still(app, pilot)


async def still(app: Any, pilot: Pilot[Any]) -> None:
    """Wait until what was to be said after a pause has been said, and the screen stands still."""
    before = ""
    for _ in range(40):
        await pilot.pause(0.03)
        await settle(app, pilot)
        now = picture(app)
        if now == before:
            return
        before = now


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_questions_and_edited_commands_look_as_they_did(size: tuple[int, int], album: Album) -> None:
    name = f"{size[0]}x{size[1]}"
    async with staged(AskingStage([*Recording().events, SEVERAL]), size) as (app, pilot):
        await still(app, pilot)
        album.compare(app, f"several-{name}")
        await press(app, pilot, "down down down space")
        album.compare(app, f"several-rules-{name}")
        await press(app, pilot, "e")
        album.compare(app, f"editing-asks-{name}")
        await press(app, pilot, "f7 backspace n p m space t e s t")
        album.compare(app, f"editing-allowed-{name}")
        await press(app, pilot, "f7 backspace r m space - r f space x")
        album.compare(app, f"editing-denied-{name}")
        app.engine.start_over([*Recording().events, SINGLE])
        await settle(app, pilot)
        await press(app, pilot, "down")
        album.compare(app, f"always-{name}")
        await press(app, pilot, "down enter backspace backspace backspace backspace backspace backspace backspace * )")
        album.compare(app, f"rule-broad-{name}")
    album.verify()


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_permissions_screen_looks_as_it_did(size: tuple[int, int], album: Album) -> None:
    name = f"{size[0]}x{size[1]}"
    async with staged(AskingStage(Recording().events), size) as (app, pilot):
        app.push_screen(PermissionsScreen(app.engine, Room().report(), ["Bash", "Read"]))
        await press(app, pilot, "down")
        album.compare(app, f"rules-{name}")
        await press(app, pilot, "a")
        await press(app, pilot, "B a s h ( n p m space r u n space b *")
        album.compare(app, f"rule-wrong-{name}")
        await press(app, pilot, ") tab right right")
        album.compare(app, f"rule-new-{name}")
        await press(app, pilot, "escape")
        await press(app, pilot, "tab")
        album.compare(app, f"refused-{name}")
        await press(app, pilot, "tab")
        await pilot.press(*"git fetch && npm test | tee out.log")
        await press(app, pilot, "enter")
        album.compare(app, f"try-{name}")
    album.verify()
