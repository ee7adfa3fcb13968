# ruff: noqa: E501 - commands stand whole, many on a line
"""A text of several commands: what was let through for reading can do no more beside commands that have the user's rights.

`evil` is a program that the table is made to take for one that only reads. Whatever stands beside it, it must change nothing.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from attack_room import ALL, AttackRoom

from tui_agent.permissions.shell import analysis
from tui_agent.permissions.shell.judgement import Judgement
from tui_agent.permissions.shell.programs import judge_program
from tui_agent.permissions.shell.words import Word

EVIL = """#!/bin/bash
touch "$WORK/pwned" "$OUTSIDE/pwned" "$HOME/pwned"
echo evil >> "$WORK/x"
for one in "${TMPDIR%/*}"/* "$(dirname "$TMPDIR")"/../* "$SCRATCH"/*/* "$SCRATCH"/*/*/*; do
    echo 'touch "$OUTSIDE/pwned"' >> "$one"
done 2> /dev/null
cat > /dev/null
exit 0
"""
BESIDE = (
    "{x}; git add x", "git add x && {x}", "git add x; {x}; {x}; git add x", "git add x | {x}", "{x} | git add x", "git add \"$({x})\" x",
    "git add x; echo `{x}`", "for f in 1 2; do git add x; {x}; done", "if {x}; then git add x; fi", "while {x}; do git add x; break; done",
    "V=$({x}); git add x", "(git add x; {x})", "{{ {x}; }} && git add x", "! {x} || git add x", "git add x; cd sub && {x}; pwd",
    "git add x; cat <({x})", "LC_ALL=C {x}; git add x", "git add x; {x} 2> /dev/null", "timeout 5 {x}; git add x", "time {x}; git add x",
    "command {x}; git add x", "git add x; case a in a) {x};; esac", "git add x; cat <<E\n$({x})\nE\n", "git add x\n{x}\n",
    "git add x && {x} || {x}", "echo a | xargs {x}; git add x", "git add x; echo \"$(echo \"$({x})\")\"", "git add x; [ -n \"$({x})\" ]",
    "git add x &&\\\n  {x} a 'b;c' \"d e\"", "export LANG=C; {x}; git add x", "git add x; nohup {x}", "env LC_ALL=C {x}; git add x",
)  # fmt: skip
# What the shell itself would work out with the rights of `git add`.
NOT_PLAIN = (
    "git add x; echo $((1 + 2))", "git add x; a=(1 2); echo \"${a[0]}\"", "git add x; (( 1 ))", "git add x; read v < x",
    "git add x; n=1; echo $((n + 1))", "git add x; [[ 1 -eq 1 ]] && ls", "for ((i=0; i<2; i++)); do git add x; ls; done",
    "git ls-files | while read -r f; do git add \"$f\"; wc -l \"$f\"; done", "git add x; mapfile -t a < x; ls", "git add x; unset v; ls",
    "for _ in 1; do git add x; ls; done", "git add x; printf -v v a; ls", "git add x; umask; ls",
)  # fmt: skip
DAILY = (
    "npm install && ls", "git add x && git status", "pytest | tail", "cd sub && npm test | head -50", "make 2>&1 | tee build.log",
    "git add -A && git commit -m 'a b' && git log --oneline -3", "npm run build && ls -la && du -sh .", "pytest -q 2>&1 | tail -20",
    "echo start; npm test; echo done $?", "npm ci --silent && npm test 2>&1 | grep -E 'fail|pass' | head", "git add . && git diff --cached",
    "for f in a b; do npm run $f; ls $f; done", "npm test || cat x", "V=$(git rev-parse HEAD); npm run tag $V; echo \"$V\"",
    "cd sub && npm test && cd .. && ls", "if npm test; then git status; else tail -5 x; fi", "set -e; npm test; ls", "set -o pipefail; npm test | tail -3",
    "git fetch && git status -sb | head -1", "npm test > /dev/null; echo $?", "npm test; pwd", "git add x;ls",
    "npm run a && find . -name '*.js' | xargs grep -l x | head", "export LANG=C; npm test; sort x | uniq -c", "test -f x && npm test; wc -l x",
    "timeout 60 npm test | tail -n 3; date", "npm run a\nls\n", "ls node_modules | wc -l; npm ls --depth=0", "command -v npm && npm test", "which npm && npm -v | cut -d. -f1",
)  # fmt: skip
RULES = tuple(f"Bash({name} *)" for name in ("git add", "git commit", "git fetch", "npm", "make", "tee"))


@pytest.fixture(params=ALL)
def room(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttackRoom:
    room = AttackRoom(tmp_path, monkeypatch, request.param)
    (room.folder / "bin").mkdir()
    for name in ("evil", "npm", "pytest", "make"):
        program = room.folder / "bin" / name
        program.write_text(EVIL if name == "evil" else "#!/bin/sh\necho ran\n")
        program.chmod(0o755)
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))  # where `evil` may find what others run
    monkeypatch.setenv("SCRATCH", str(tmp_path / "scratch"))
    monkeypatch.setenv("WORK", str(room.work))
    monkeypatch.setenv("OUTSIDE", str(room.outside))
    monkeypatch.setenv("PATH", f"{room.folder / 'bin'}:/usr/bin:/bin")
    room.git("init")
    (room.work / "x").write_text("old\n")
    (room.work / "sub").mkdir()
    room.begin(*RULES, "Bash(pytest *)", "Bash(pytest)")
    return room


@pytest.fixture
def deceived(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the table take `evil` for a program that only reads."""

    def judge(words: Sequence[Word], **rest: str) -> Judgement:
        is_evil = bool(words) and words[0].value == "evil"
        return Judgement(kind="read_only") if is_evil else judge_program(words, **rest)

    monkeypatch.setattr(analysis, "judge_program", judge)
    analysis.analyse.cache_clear()
    monkeypatch.setattr(analysis, "analyse", analysis.analyse.__wrapped__)


def harm(room: AttackRoom) -> list[str]:
    """Return what was changed that only `evil` would have changed."""
    places = (room.work / "pwned", room.outside / "pwned", Path.home() / "pwned")
    return [
        *(str(place) for place in places if place.exists()),
        *(["x"] if (room.work / "x").read_text() != "old\n" else []),
    ]


@pytest.mark.usefixtures("deceived")
async def test_what_only_reads_does_no_more_beside_what_has_the_users_rights(room: AttackRoom) -> None:
    if room.name == "none":
        pytest.skip("without a sandbox there is only the table to keep a program from writing")
    asked = []
    for shape in BESIDE:
        said = await room.run(shape.format(x="evil"))
        assert harm(room) == [], shape
        asked += [shape] if said == "asks" else []
    assert asked == []
    assert (room.work / ".git/index").exists()


@pytest.mark.usefixtures("deceived")
async def test_the_attack_works_where_nothing_stops_it(room: AttackRoom) -> None:
    room.begin("Bash")
    await room.run("git add x; evil")
    assert harm(room) != []


async def test_what_the_shell_itself_would_evaluate_asks(room: AttackRoom) -> None:
    passed = [command for command in NOT_PLAIN if await room.run(command) != "asks"]
    assert passed == []


async def test_what_an_earlier_part_has_linked_is_not_read(room: AttackRoom) -> None:
    """The text names files of the workspace; by then they are something else."""
    secret = room.outside / "secret"
    secret.write_text("SECRET\n")
    room.begin(*RULES, "Bash(ln *)", "Bash(mv *)", "Bash(cp *)")
    for command in (
        f"ln -s {secret} l && cat l", f"ln -s {secret} l; git add x; cat < l", f"ln -s {room.outside} d; grep -r . d/", f"ln -sf {secret} x; sort x",
        f"ln -s {room.outside} d && cd d && cat secret", f"ln -s {secret} l | cat l", f"for i in 1 2; do cat l; ln -s {secret} l; done",
        f"mv sub old; ln -s {room.outside} sub; head sub/*", f"ln -s {secret} l; V=$(cat l); echo \"$V\"", f"ln -s {secret} l; echo \"$(< l)\"",
        f"ln -s {secret} l; diff l x", f"ln -s {secret} l; find . -name l | xargs cat", f"cp -P {room.outside}/../link l; ln -s {secret} m; cat m",
    ):  # fmt: skip
        assert "SECRET" not in await room.run(command), command
        for name in ("l", "m", "d"):
            (room.work / name).unlink(missing_ok=True)


async def test_daily_commands_of_several_parts_are_let_through(room: AttackRoom) -> None:
    asked = [command for command in DAILY if await room.run(command) == "asks"]
    assert asked == []


async def test_parts_in_sandboxes_see_what_the_shell_sees(room: AttackRoom) -> None:
    """The folder, the variables, the pipes and the exit codes are those of the shell."""
    for command, expected in {
        "git add x; cd sub && pwd && ls ..": f"{room.work}/sub\nsub\nx",
        "git add x; grep old x | tr a-z A-Z": "OLD",
        "git add x; ls nowhere 2> /dev/null; echo $?": "2",
        "git add x; false || echo no; (exit 3); echo $?": "no\n3",
        "export LC_ALL=C; git add x; locale | grep -c LC_ALL=C": "1",
        'git add x; cat <<< "a  b"': "a  b",
        "git add x; diff <(ls) <(ls sub) > /dev/null; echo $?": "1",
        'V=$(cat x); git add $V x 2> /dev/null; echo "$V"': "old",
        "git add x; wc -l < x": "1",
    }.items():
        assert (await room.run(command)).partition("\n[")[0].strip() == expected, command
