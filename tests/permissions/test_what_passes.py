# ruff: noqa: E501 - commands stand whole, many on a line
"""Commands changed at random: each that is let through is run where everything may be written, and nothing is.

Harmless calls get a harmful piece, a character more or less, or half of another call; harmful ones are bent until they may look
harmless. Whatever the decision lets through without a rule runs in the recording sandbox, which holds it back in nothing: it
must write no file, open no connection and leave no process. `TUI_AGENT_FUZZ_COMMANDS` sets how many commands are made (some
1,200 without it) and `TUI_AGENT_FUZZ_SEED` which.
"""

from __future__ import annotations

import os
import random
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from call_lists import listed
from recording_sandbox import Recording, record, why_not

from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.decide import decide
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.rules import RuleSet

COMMANDS = int(os.environ.get("TUI_AGENT_FUZZ_COMMANDS", "1200"))
SEED = int(os.environ.get("TUI_AGENT_FUZZ_SEED", "4"))
BATCH = 100
pytestmark = pytest.mark.skipif(bool(why_not()), reason=f"nothing can be recorded here: {why_not()}")

# What would do harm if it ran, or were read as an option, where it stands.
HARM = (
    "; touch x", "&& touch x", "|| touch x", "| tee out", "& touch x", "\ntouch x\n", ";rm a.txt;", "|sh", "> out", ">> a.txt", "2>out",
    "&>out", ">|out", ">&out", "<>out", "3>out", "$(touch x)", "`touch x`", '"$(touch x)"', "<(touch x)", ">(cat > out)",
    "${y:-$(touch x)}", "$((y[$(touch x)]))", "y[$(touch x)]", "'y[$(touch x)]'", "<<<$(touch x)", "<<E\n$(touch x)\nE\n", "-o out",
    "-oout", "--output=out", "--output out", "--out=out", "-i", "-i.bak", "--in-place", "-exec touch x ;", r"-exec touch x \;",
    "-delete", "-fprint out", "-fls out", "-ok touch x +", "-w", "-e 'w out'", "-e 'e touch x'", "'w out'", "'1e touch x'",
    "'s/x/touch y/e'", "s/o/p/wout", "'BEGIN{system(\"touch x\")}'", "'{print > \"out\"}'", "'{print|\"tee out\"}'", "-f script",
    "-x touch", "-X touch", "--pre ./x.sh", "--pager=./x.sh", "--to-command=./x.sh", "-I./x.sh", "--checkpoint=1",
    "--checkpoint-action=exec=./x.sh", "--compress-program=./x.sh", "-T", "-n", "-d", "-s", "-k", "-r", "-S", "-D", "-O./x.sh",
    "--ext-diff", "--textconv", "-c core.pager=./x.sh", "-c alias.log=!./x.sh", "-C sub", "out", "x y", "*", "-*", "a*", "$y", '"$y"',
    "${y}", "--", "-", "./x.sh", "bash x.sh", "sh -c 'touch x'", "eval touch x", ". ./x.sh", "exec touch x", "xargs touch",
    "| xargs touch", "| xargs rm", "| xargs -I{} touch {}", "| while read f; do touch $f; done", "PATH=.", "y=touch; $y x", "env touch x",
    "command touch x", "time touch x", "timeout 5 touch x", "nice touch x", "nohup touch x &", "sleep 30 &", "{ touch x; }",
    "(touch x)", "! touch x", "cd sub && touch x", "if true; then touch x; fi", "for f in a b; do touch $f; done", "{touch,x}", "$'touch' x",
    "t\\ouch x", "read PATH", "printf -v PATH .", "export PATH=.", "set -a", "trap 'touch x' 0", "alias ls=touch", "touch() { :; }",
    "ls() { touch x; }; ls", "[[ -v y[$(touch x)] ]]", "((y=1))", "-v 'y[$(touch x)]'", "> /dev/tcp/127.0.0.1/9", "< /dev/tcp/127.0.0.1/9",
    "commit -m x", "branch x", "tag x", "config a.b c", "stash", "add .", "init", "reset --hard", "checkout .", "@opts", "%n", "date 0101",
)  # fmt: skip
CHARACTERS = " \t\n'\"\\$`();&|<>{}[]*?~#!=,:%@+-./0123abeowxE"
GLUE = (
    " ",
    " ; ",
    " && ",
    " || ",
    " | ",
    "\n",
    " & ",
    "",
    "; ",
    " -- ",
    " $(",
    " `",
    ' "',
    " '",
    " #",
    "\\\n",
    " <<E\n",
    " <(",
    " {",
    ",",
)
# Programs that write what they learn for themselves, whatever they are asked; a sandbox of its own holds each of them.
KEEPS_NOTES = re.compile(
    r"\b(?:npm|npx|pip3?|uv|conda|yarn|pnpm|mvn|gradle|docker(?:-compose)?|kubectl|gem|go|cargo|rustup|rustc|terraform|javac?|javap|jar|mypy"
    r"|pytest|aws|jupyter|ruff|helm|gh|python[0-9.]*)\b"
    r"|--(?:dirty|broken)\b"  # git brings its list of files up to date
)
ENDLESS = re.compile(
    r"\b(?:yes|sleep|top|watch|ping)\b|\btail\b.*-\w*[fF]|--follow|\bwhile (?:true|:)|/dev/(?:zero|u?random)"
)
# What asks the machine itself: names, services, connections.
ASKS = re.compile(
    r"\b(?:lsof|ss|netstat|ip|ifconfig|route|arp|hostname|getent|systemctl|journalctl|hostnamectl|timedatectl|localectl|loginctl"
    r"|tmux|who|w|last|lastb|id|groups|finger|ps|top|pgrep|pidof|dmesg|crontab|fuser|locale|lsblk|lsusb|lspci|nvidia-smi|man|apropos|whatis"
    r"|brew|dpkg|dpkg-query|apt|apt-cache|rpm|snap|hg|svn)\b"
)


def _is_here(command: str) -> bool:
    """Whether the program that a command begins with is on this machine, so that running it says something."""
    name = re.split(r"[\s;|&<>()]", command.strip(), maxsplit=1)[0]
    return (
        not name.isidentifier()
        or shutil.which(name) is not None
        or name in {"cd", "for", "if", "while", "case", "set", "read"}
    )


HARMLESS = [
    line
    for line in listed("calls_harmless.txt")
    if _is_here(line) and not KEEPS_NOTES.search(line) and not ENDLESS.search(line)
]
HARMFUL = [line for line in listed("calls_harmful.txt") if not KEEPS_NOTES.search(line) and not ENDLESS.search(line)]


def changed(rng: random.Random) -> str:
    """Return a command made of those on the lists."""
    command = rng.choice(HARMLESS)
    kind = rng.random()
    if kind < 0.45:
        command = _inserted(rng, command, rng.choice(HARM))
    elif kind < 0.6:
        other = rng.choice(HARMLESS if rng.random() < 0.3 else HARMFUL)
        command = rng.choice((command + rng.choice(GLUE) + other, other + rng.choice(GLUE) + command))
    elif kind < 0.75:
        other = rng.choice(HARMFUL)
        command = command[: rng.randrange(len(command) + 1)] + other[rng.randrange(len(other)) :]
    elif kind < 0.9:
        command = rng.choice(HARMFUL)
        if rng.random() < 0.5:
            command = _inserted(rng, command, rng.choice(HARM))
    for _ in range(rng.choice((0, 0, 1, 1, 2, 3))):
        command = _bent(rng, command)
    return command


def _inserted(rng: random.Random, command: str, piece: str) -> str:
    gaps = [match.start() for match in re.finditer(r"\s|$", command)]
    at = rng.choice(gaps) if rng.random() < 0.8 else rng.randrange(len(command) + 1)
    blank = " " if rng.random() < 0.9 else ""
    return f"{command[:at]}{blank}{piece}{command[at:]}"


def _bent(rng: random.Random, command: str) -> str:
    """Return a command with one small change to its characters."""
    if not command:
        return command
    at, end = sorted(rng.randrange(len(command) + 1) for _ in range(2))
    match rng.randrange(7):
        case 0:
            return command[:at] + command[at + 1 :]
        case 1:
            quote = rng.choice("'\"`")
            return command[:at] + quote + command[at:end] + quote + command[end:]
        case 2:
            return command[:at] + command[end:]
        case 3:
            return (
                command[:at]
                + rng.choice((f"$({command[at:end]})", f"{{{command[at:end]},}}", f"$'{command[at:end]}'"))
                + command[end:]
            )
        case 4:
            return command.replace(" ", rng.choice(("\t", "  ", "\\\n ", "\\\n", "\n", "")), rng.choice((1, -1)))
    return command[:at] + rng.choice(CHARACTERS) + command[at:]


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder to work in, with a repository and with names that turn into options where a glob finds them."""
    root = tmp_path_factory.mktemp("passes")
    folder = root / "w"
    for name in ("src", "tests", "docs", "sub", "a dir"):
        (folder / name).mkdir(parents=True)
    texts = {
        "a.txt": "touch y\nb 2\n3\n", "b.txt": "b\n", "a": "a[$(touch x)]\n", "b": "1\n", "list": "a.txt\nx;touch y\n", "f.json": '{"a": 1}\n',
        "a.json": '{"a": 1}\n', "package.json": '{"version": "1", "scripts": {}}\n', "README.md": "# r\n", "x.sh": "#!/bin/sh\ntouch x\n",
        "script": "w out\n", "opts": "--plugin=./x.so\n", "src/a.py": "import x\n", "src/b.py": "def f(): pass\n", "a.csv": "a,b\n",
        "-oout": "", "-i": "", "--output=out": "", "-delete": "", "-exec": "", "a dir/b c": "", "x;touch y": "", "$(touch y)": "",
        "a[$(touch y)]": "", "sub/.gitattributes": "* diff=x\n", "touch": "#!/bin/sh\n: > touched\n", "config.ini": "[a]\nb=1\n",
    }  # fmt: skip
    for name, text in texts.items():
        (folder / name).write_text(text)
    for name in ("x.sh", "touch"):
        (folder / name).chmod(0o755)
    git = ["git", "-c", "user.name=n", "-c", "user.email=e@x"]
    for words in (["init", "-q"], ["add", "--", "src", "README.md"], ["commit", "-qm", "one"]):
        subprocess.run([*git, *words], cwd=folder, check=True, capture_output=True)
    subprocess.run(
        "tar cf a.tar src; gzip -c a.txt > a.gz; tar czf a.tgz src; zip -q a.zip a.txt",
        shell=True,
        cwd=folder,
        check=False,
    )
    (root / "home").mkdir()
    return folder


@pytest.fixture(scope="module")
def passes(work: Path) -> Callable[[str], bool]:
    """Return whether a command is let through where no rule says anything."""
    rules = RuleSet.from_lists()
    where = PathContext(cwd=str(work), project_root=str(work), home=str(work.parent / "home"))

    def judge(command: str) -> bool:
        call = call_from_input("Bash", {"command": command}, where)
        return decide(call, rules=rules, mode="default", where=where).behavior == "allow"

    return judge


def _recorded(commands: list[str], work: Path) -> Recording:
    """Run commands one after the other, each in a bash of its own, and return what all of them did."""
    lines = ['run() { timeout -k 1 3 bash --noprofile --norc -c -- "$1" </dev/null >/dev/null 2>&1; }']
    lines += [f"run {shlex.quote(command)}" for command in commands]
    # Git brings its list of what changed up to date where it may; that is told to leave it.
    quiet = {"GIT_OPTIONAL_LOCKS": "0", "GIT_CONFIG_NOSYSTEM": "1", "PAGER": "cat"}
    return record("\n".join(lines), folder=work, home=work.parent / "home", environment=quiet, timeout_s=240)


def _guilty(commands: list[str], work: Path) -> Iterator[tuple[str, Recording]]:
    """Yield those of the commands that did something, each with what it did when it ran alone."""
    found = _recorded(commands, work)
    if found.is_clean and not found.is_late:
        return
    if len(commands) == 1:
        yield commands[0], found
        return
    half = len(commands) // 2
    yield from _guilty(commands[:half], work)
    yield from _guilty(commands[half:], work)


def test_what_harms_is_seen(work: Path) -> None:
    harmful = ["sort -o out a.txt", "sleep 30 & disown", "cat < /dev/tcp/127.0.0.1/9", "ls"]
    assert [command for command, _ in _guilty(harmful, work)] == harmful[:-1]


@pytest.mark.timeout(60 + COMMANDS // 10)
def test_whatever_is_let_through_does_nothing(work: Path, passes: Callable[[str], bool]) -> None:
    rng = random.Random(SEED)
    made = list(dict.fromkeys(changed(rng) for _ in range(COMMANDS)))
    left_out = (KEEPS_NOTES, ASKS, ENDLESS)
    let_through = [
        command for command in made if passes(command) and not any(pattern.search(command) for pattern in left_out)
    ]
    assert len(let_through) > COMMANDS // 20, "too little passes for the test to say anything"
    guilty = [
        (command, recording.changed, recording.tried, recording.left)
        for start in range(0, len(let_through), BATCH)
        for command, recording in _guilty(let_through[start : start + BATCH], work)
    ]
    print(f"{len(made)} commands, {len(let_through)} let through and run, {len(guilty)} did something")
    assert guilty == []
