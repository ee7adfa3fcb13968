"""Hostile text from a model, a tool, a file, a server: nothing of it that a terminal would obey reaches the terminal."""

from __future__ import annotations

import re
import time
from itertools import cycle
from typing import Any

import pytest
from person import Launch, Person, Serve
from terminal import Terminal
from world import World, scenario_of, text_reply, tool_reply

from tui_agent.events import TurnFinished

# Each is followed by a word of its own, so that the screen shows that the text around the attack did arrive.
ATTACKS = (
    "\x1b]52;c;SE9TVElMRQ==\x07clip",
    "\x1b]0;HOSTILE\x07title",
    "\x1b]2;HOSTILE\x1b\\again",
    "\x1b]8;;https://hostile.example\x1b\\link\x1b]8;;\x1b\\",
    "\x9b2Jcsi",
    "\x9d0;HOSTILE\x9cosc",
    "\x1bcreset",
    "\x1b[2Jclear",
    "\x1b[20tmove",
    "\x1b[6nreport",
    "\x1b[?1049lleave",
    "\x1bP$q\"p\x1b\\dcs",
    "\x1b_Gf=100;AAAA\x1b\\apc",
    "\x1b(0charset",
    "\x0e\x0f\x08\x08\x7f\x05controls",
    "\r\noverwritten\rline",
    "\u202ereversed\u202c",
    "\u2066isolate\u2069",
    "zero\u200bwidth\ufeff",
    "\U000e0041\U000e0042tags",
    "[@click=app.quit]press[/] [bold red]markup[/] [/]",
    "\x1b]unterminated",
)  # fmt: skip
HOSTILE = " ".join(ATTACKS)
LINE = HOSTILE.replace("\r", "").replace("\n", "")
MARKDOWN = f"""said {HOSTILE}

# {LINE}

- {LINE}

> {LINE}

```python
{HOSTILE}
```

| a | {LINE} |
|---|---|
| b | c |

[a link](https://example.org/{LINE.replace(" ", "")}) and `{LINE}`
"""
BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
C1 = re.compile("[\x80-\x9f]")
# More than one frame of the screen takes to be drawn.
DRAWING_S = 0.3
HIDDEN = re.compile("[\u200b\ufeff\U000e0000-\U000e007f]")


def assert_harmless(terminal: Terminal) -> None:
    """Every byte the program wrote is either text or one of the few sequences that Textual draws with.

    Asked once the program has ended: while it draws, what has arrived may stop in the middle of a sequence or a character.
    """
    assert terminal.process.poll() is not None
    raw = terminal.raw
    strings = re.findall(rb"\x1b([\]PX^_])([^\x07\x1b]*)", raw)
    # The pointer's shape, the window's title in words of the program's own, and the question for the ground's colour.
    own = {(b"]", b"22"), (b"]", b"2"), (b"]", b"11")}
    assert {(kind, text.split(b";")[0]) for kind, text in strings} <= own, "an OSC, DCS, PM, SOS or APC string"
    assert {text for _, text in strings if text.startswith(b"11")} <= {b"11;?"}
    titles = {text.decode() for _, text in strings if text.startswith(b"2;")}
    assert all(re.fullmatch(r"2;((● |▸ )?tui-agent( – [\w -]+)?)?", title) for title in titles), titles
    assert b"HOSTILE" not in terminal.title.encode()
    others = set(re.findall(rb"\x1b[^\[\]]", raw))
    assert others <= {b"\x1b7", b"\x1b8", b"\x1b\\"}, f"escape sequences {others}"
    # Lines that scroll are moved by the terminal, in this way only.
    painted = re.sub(rb"\x1b\[\d+;\d+r\x1b\[\d+;1H\x1b\[\d+[ML]\x1b\[r", b"", raw)
    finals = {match[1] for match in re.findall(rb"\x1b\[([0-?]*)([ -/]*[@-~])", painted)}
    assert finals <= {b"m", b"H", b"h", b"l", b"u", b"$p", b"t"}, f"control sequences {finals}"
    assert not re.search(rb"\x1b\[20t|\x1b\[6n|\x1b\[2J", raw)
    controls = set(re.findall(rb"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]", re.sub(rb"\x1b\][^\x07]*\x07", b"", raw)))
    assert not controls, f"control characters {controls}"
    text = raw.decode()
    assert not C1.search(text), "a C1 control"
    assert not BIDI.search(text), "a bidirectional control"
    assert not HIDDEN.search(text), "a character that hides"
    # Leaving the full screen is the program's own business, when it ends.
    assert raw.count(b"\x1b[?1049l") == raw.count(b"\x1b[?1049h") <= 1


@pytest.fixture
def hostile_names(world: World) -> str:
    name = "evil\x1b]0;HOSTILE\x07\u202etxt.py"
    world.write(name, f"# {HOSTILE}\nvalue = 1\n")
    return name


def use(tool: str, label: str, **input: Any) -> dict[str, Any]:
    return {"tool": tool, "label": label, "input": input}


def test_what_the_model_says_and_asks_for_is_only_ever_text(
    world: World, serve: Serve, launch: Launch, hostile_names: str
) -> None:
    world.write("a.txt", f"{HOSTILE}\nplain\n")
    serve(
        scenario_of(
            {
                "block": [
                    {"thinking": f"thought {HOSTILE}"},
                    {"text": MARKDOWN},
                    use("Read", "file", file_path="{{ cwd }}/a.txt"),
                    use("Read", "named", file_path="{{ cwd }}/" + hostile_names),
                    use("Grep", "grep", pattern="value|HOSTILE", path="{{ cwd }}", output_mode="content"),
                    use("No" + HOSTILE[:150], "unknown", x=HOSTILE),
                ]
            },
            tool_reply(use("Edit", "edit", file_path="{{ cwd }}/a.txt", old_string="plain", new_string=HOSTILE)),
            text_reply("that was all"),
        )
    )
    person = Person(launch(), world)
    person.say("go")
    person.answer("accept edits from now on", "enter")
    person.wait_for_turn()
    person.terminal.wait_for_text("that was all")
    unfold_everything(person)
    leave(person)
    assert_harmless(person.terminal)
    assert HOSTILE.split(" ")[0] in (world.folder / "a.txt").read_text(), "the file itself gets what was approved"


def unfold_everything(person: Person) -> None:
    """Open what is folded, and go through the conversation from its end to its beginning.

    A key that changes nothing on the screen, as Page Up at the beginning, writes no byte: for that no longer is waited than
    drawing takes. What is still to be drawn then is drawn before the program ends, which takes its keys in their order.
    """
    for keys in (("ctrl+o",), *[("pageup", "f2", "down", "escape")] * 12):
        written = person.terminal.size
        pressed = time.monotonic()
        person.terminal.press(*keys)
        person.terminal.wait_for(
            lambda written=written, pressed=pressed: (
                person.terminal.size > written or time.monotonic() - pressed > DRAWING_S
            ),
            "an answer to a key",
        )


def leave(person: Person) -> None:
    """Quit: close the pane that may still be open, then the key that leaves; apart, or the two are taken for one key."""
    terminal = person.terminal
    keys = cycle(("escape", "ctrl+d"))
    pressed = time.monotonic()

    def has_ended() -> bool:
        nonlocal pressed
        if terminal.process.poll() is None and time.monotonic() - pressed > 0.5:
            terminal.press(next(keys))
            pressed = time.monotonic()
        return terminal.process.poll() is not None

    terminal.wait_for(has_ended, "the end of the program")
    assert terminal.wait_for_exit() == 0


def test_what_a_command_prints_and_how_it_is_described_is_only_ever_text(
    world: World, serve: Serve, launch: Launch
) -> None:
    script = world.write(
        "shout.py", f"import sys\nsys.stdout.write({HOSTILE!r})\nsys.stderr.write({HOSTILE!r})\nsys.exit(3)\n"
    )
    run = use("Bash", "run", command=f"python3 {script.name} '{HOSTILE}'", description=f"Just {HOSTILE}")
    serve(scenario_of(tool_reply(run), text_reply("{{ results.run }}")))
    person = Person(launch(columns=100, rows=50), world)
    person.say("go")
    person.terminal.wait_for_text("Yes, once")
    person.terminal.wait_for_text("⟨ESC⟩")  # what is to be approved hides nothing
    person.answer("Yes, once", "1")
    person.wait_for_turn()
    unfold_everything(person)
    leave(person)
    assert_harmless(person.terminal)


def test_what_a_server_answers_instead_is_only_ever_text(world: World, serve: Serve, launch: Launch) -> None:
    fault = {"kind": "status", "status": 400, "message": f"no: {HOSTILE}"}
    serve(scenario_of(text_reply("never", faults=[fault])))
    person = Person(launch(columns=80, rows=24), world)
    person.say("go")
    person.terminal.wait_for(lambda: world.has(TurnFinished, outcome="failed"), "the failure")
    person.terminal.wait_for_text("no: ")
    leave(person)
    assert_harmless(person.terminal)


def test_without_a_screen_a_terminal_gets_only_text_too(world: World, serve: Serve, launch: Launch) -> None:
    serve(
        scenario_of(text_reply(f"said {HOSTILE}\nend", faults=[{"kind": "status", "status": 529, "message": HOSTILE}]))
    )
    terminal = launch("-p", "go")
    terminal.wait_for_text("end")
    assert terminal.wait_for_exit() == 0
    assert_harmless(terminal)
