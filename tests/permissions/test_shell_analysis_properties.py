# ruff: noqa: E501 - commands stand whole, many on a line
"""The analysis against bash itself: nothing that it takes to only read ever runs `evil`, writes a file, or is no bash at all.

`ls`, `cat` and the like are stubs here, and `evil` leaves a mark when it runs.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from shell_stand_in import judged, only_reads

FUZZ = settings(max_examples=600, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))

# The same examples each time: what a longer search finds becomes an `@example`.
PIECES = (
    "ls", "cat", "echo", "evil", "ls ", "echo ", " x", " ", " ", " ", ";", "; ", "&", "|", " | ", "&&", " && ", "||", "\n", "\n", "$(",
    ")", "`", "'", '"', "\\", "#", " #", "{", "}", "{ ", "; }", "<", ">", ">/dev/null", "2>&1", "<<E", "<<-E", "<<'E'", "\nE\n",
    "E", "$", "(", "!", "! ", "=", "x=", "x=1", "$x", "${x}", "${x:-", "${x%", "${#x}", "\t", "*", "?", "~", "[", "]", "[ ", " ]",
    "-n ", "-f ", "-a ", "-v ", "-", ",", "..", "$'", "\\\n", "time ", "command ", "timeout 5 ", "env ", "if ", "then ", "else ",
    "fi", "; fi", "for x in ", "do ", "done", "; done", "; do ", "; then ", "while ", "until ", "[[ ", " ]]", "==", " == ", "=~ ",
    "a[", "<(", "<<<", "((", "))", "$((", "+1", "x++", "f()", "case x in ", "x) ", ";;", " esac", "break", "continue", "exit",
    "xargs ", "| xargs ", "read x", "set -e", "true", "false", "?(", "@(", "&>", "|&", "2>", ">&", "3>", "{fd}>", "let ", "unset ",
    "\r", "\u00a0", "\u200b", "é", "$[", "${!", "@P}", ":=", "in", "a{b,c}", "{1..2}", "eval ", "exec ", ". ", "$'\\''", "\\'", "\\\"",
    "return", "cd ", "printf ", "test ", "%n", "(ls)", "{ ls; }", "$(ls)", "`ls`", "$(evil)", "`evil`", "\nevil\n", ";evil", "&&evil",
    "|evil", "evil;", "ls;", "echo x;",
)  # fmt: skip
SCRIPTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=9).map("".join)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., set[str]]:
    """Return a function that runs a script in bash, and says what it left behind."""
    root = tmp_path_factory.mktemp("shell")
    programs = root / "bin"
    programs.mkdir()
    mark = root / "mark"
    stubs = {"evil": f": > '{mark}'", "xargs": 'exec "$@"', "env": 'exec "$@"', "timeout": 'shift; exec "$@"'}
    for name in ("ls", "cat", "echo", "grep", "wc", "head", "sort"):
        stubs[name] = "exit 0"
    for name, body in stubs.items():
        (programs / name).write_text(f"#!/bin/sh\n{body}\n")
        (programs / name).chmod(0o755)
    work = root / "work"
    work.mkdir()

    def left_by(script: str, shell: str = "/bin/bash") -> set[str]:
        mark.unlink(missing_ok=True)
        subprocess.run(
            [shell, "-c", f"ulimit -t 2; {script}" if "\n" not in script else f"ulimit -t 2\n{script}"], cwd=work,
            env={"PATH": str(programs)}, check=False, timeout=30, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        left = {path.name for path in work.iterdir()} | ({"evil ran"} if mark.exists() else set())
        for path in work.iterdir():
            path.unlink()
        return left

    return left_by


def is_endless(script: str) -> bool:
    """Whether running the script may take forever, as a loop does whose condition always holds."""
    return "while" in script or "until" in script or "for ((" in script or "for((" in script


@given(SCRIPTS)
@FUZZ
def test_what_only_reads_leaves_nothing_behind_in_bash(run: Callable[..., set[str]], script: str) -> None:
    if only_reads(script) and not is_endless(script):
        assert run(script) == set(), script


@given(SCRIPTS, st.sampled_from(["bash", "sh"]))
@FUZZ
@example("ls &>/dev/null", "sh")
@example("ls; [[ a > b ]]", "sh")
@example("x='a PATH=.'; export y=$x; ls", "sh")
def test_what_only_reads_in_a_shell_of_its_own_leaves_nothing_behind(
    run: Callable[..., set[str]], script: str, shell: str
) -> None:
    if only_reads(f"{shell} -c {shlex.quote(script)}") and not is_endless(script):
        assert run(script, f"/bin/{shell}") == set(), script


@given(SCRIPTS)
@FUZZ
@example("time {")
@example("ls; time -p ! if")
def test_what_is_understood_is_bash(script: str) -> None:
    if judged(script).is_understood and "\0" not in script:
        done = subprocess.run(["/bin/bash", "-n", "-c", f"\n{script}"], check=False, capture_output=True, timeout=20)
        assert done.returncode == 0, (script, done.stderr)


@given(st.text() | SCRIPTS | st.text(alphabet="${}()[]<>|&;\"'`\\\n #=*?~!ax1-,"))
@FUZZ
def test_any_text_is_analysed(text: str) -> None:
    analysis = judged(text)
    assert analysis.source == text
    assert bool(analysis.check) == bool(analysis.reason)


EVIL = st.sampled_from(
    ["evil", "evil x", "$X", "PATH=. ls", "ls > f", "ls &", "eval ls", ". f", "\\evil", "timeout $T ls", "f() { ls; }", "ls; evil",
     "trap x EXIT", "exec ls", "ls | xargs evil", "echo ${!x}", "[ $Q ]", "printf -v a b", "export PATH=x", "cat < /dev/tcp/h/1"]
)  # fmt: skip
HOLES = (
    "{}", "ls; {}", "{}; ls", "ls && {}", "ls || {}", "{} || ls", "ls | {}", "{} | ls", "! {}", "({})", "{{ {}; }}", "( ls; {} )",
    "if {}; then ls; fi", "if ls; then {}; fi", "if ls; then ls; else {}; fi", "if ls; then ls; elif {}; then ls; fi",
    "while {}; do ls; done", "while ls; do {}; done", "until ls; do {}; done", "for x in a b; do {}; done",
    "for x in $({}); do ls; done", "case x in a) ls;; b) {};; esac", "case $({}) in a) ls;; esac", 'echo "$({})"', "echo $({})",
    'echo "a $(ls "$({})") b"', "x=$({})", 'x="$({})"; ls', "LC_ALL=C ls $({})", "cat <({})", "diff <(ls) <(ls; {})", 'cat <<< "$({})"',
    "cat <<E\n$({})\nE", "cat <<E\na \"$({})\" b\nE", "[ \"$({})\" = x ]", "[[ -n $({}) ]]", "ls\n{}", "{}\nls", "ls # x\n{}",
    "ls \\\n && {}", "cd src && {}", "exit 0; {}", "set -e; {}", "ls 2>/dev/null; {}", "for ((i=0;i<2;i++)); do {}; done",
    "ls < <({})", "while read -r x; do ls; done < <({})", "for x in a; do for y in b; do {}; done; done", "echo ${{x:-a}} $({})",
    "false && {}", "true || {}", "while ls; do break; {}; done", "time {{ {}; }}",
)  # fmt: skip


@given(st.lists(st.sampled_from(HOLES), min_size=1, max_size=3), EVIL)
@FUZZ
@example(["echo $({})"], "evil")
def test_no_skeleton_hides_what_does_more_than_read(holes: list[str], evil: str) -> None:
    script = evil
    for hole in holes:
        script = hole.format(script)
    assert not only_reads(script), script


@pytest.mark.parametrize("hole", HOLES)
def test_the_skeletons_themselves_are_harmless(hole: str) -> None:
    if hole != "time {{ {}; }}":  # `time` of a group is not understood
        assert only_reads(hole.format("ls a"))


WORDS = st.lists(
    st.sampled_from(
        ["a", "b", "~", "~/", "$HOME", "${HOME}", "$PWD", "{", "}", ",", "..", "'", '"', "\\", "$x", "${x}", "$y", "*", "?", "[", "]",
         "/", "=", ":", "-", "$'", "\\n", "1", "3", "#", " ", "%", "x=", "@", "!", "^", "\\~", "\\$", "é", "'a b'", '"c d"', "{a,b}",
         "{1..3}", "${z}", "'~'", '"$HOME"']
    ),
    min_size=1, max_size=7,
).map("".join)  # fmt: skip


@given(WORDS)
@settings(max_examples=300, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@example("$x{1,2}")
@example("{$x,b}y")
@example("{~,a}/x")
@example('"$HOME"/x')
@example("a$PWD")
@example("~'/x'")
def test_words_that_are_known_are_what_bash_makes_of_them(tmp_path_factory: pytest.TempPathFactory, word: str) -> None:
    before = "x=a x1=q y='a b' z='*'; "
    parts = [part for part in judged(f"{before}cat {word}").parts if part.words]
    if (
        len(parts) != 1
        or not all(one.is_known for one in parts[0].words)
        or not judged(f"{before}cat {word}").is_understood
    ):
        return
    empty = tmp_path_factory.getbasetemp() / "no-files"
    empty.mkdir(exist_ok=True)
    script = f"{before}p() {{ printf '%s\\0' x \"$@\"; }}; p {word}"
    done = subprocess.run(
        ["/bin/bash", "-c", script],
        cwd=empty,
        env={"HOME": "/h", "PATH": "/none"},
        check=False,
        capture_output=True,
        timeout=20,
    )
    ours = [f"/h{one.value[1:]}" if one.raw.startswith("~") else one.value for one in parts[0].words[1:]]
    theirs = [text.replace(str(empty.resolve()), ".") for text in done.stdout.decode().split("\0")[1:-1]]
    assert ours == theirs
