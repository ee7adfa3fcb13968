# ruff: noqa: E501 - commands stand whole, many on a line
"""Variables that bash sets itself: no script that the analysis takes for reading runs what somebody put into one.

Bash evaluates the text of a variable in arithmetic, subscripts and all, so that `a[$(touch x)]` in one is a program. Scripts are
made of everything that sets variables, with bash's own names and ordinary ones, and those that pass are run where every one of
these names is a program in the environment, too.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tui_agent.permissions.shell.analysis import analyse

BASH = shutil.which("bash") or "/bin/bash"
EVIL = "q[$(>ran)]"  # `q` itself holds nothing: it would be evaluated in turn
OWN = (
    "_", "OLDPWD", "PWD", "REPLY", "MAPFILE", "BASH", "BASHOPTS", "BASHPID", "BASH_ALIASES", "BASH_ARGC", "BASH_ARGV", "BASH_ARGV0",
    "BASH_CMDS", "BASH_COMMAND", "BASH_EXECUTION_STRING", "BASH_LINENO", "BASH_LOADABLES_PATH", "BASH_REMATCH", "BASH_SOURCE",
    "BASH_SUBSHELL", "BASH_VERSINFO", "BASH_VERSION", "COLUMNS", "COMP_WORDBREAKS", "COPROC", "DIRSTACK", "EPOCHREALTIME",
    "EPOCHSECONDS", "EUID", "FUNCNAME", "GROUPS", "HISTCMD", "HOSTNAME", "HOSTTYPE", "IFS", "LINENO", "LINES", "MACHTYPE", "OPTARG",
    "OPTERR", "OPTIND", "OSTYPE", "PIPESTATUS", "PPID", "PS4", "RANDOM", "SECONDS", "SHELLOPTS", "SHLVL", "SRANDOM", "TIMEFORMAT", "UID",
    "HOME", "PATH", "TERM", "LANG", "LC_ALL", "COMPREPLY", "READLINE_LINE", "a", "i", "n", "x", "COUNT", "NUM",
)  # fmt: skip
PASSING = (
    "i=0; while [ $i -lt 3 ]; do echo $i; ((i++)); done", "n=3; echo $((n * 2))", "for i in 1 2 3; do echo $((i + 1)); done", "echo $((RANDOM % 10))",
    "for ((i = 0; i < 3; i++)); do echo $i; done", "n=0; for f in *; do n=$((n + 1)); done; echo $n", "n=$(ls | wc -l); echo $((n + 1))",
)  # fmt: skip
KNOWN = (
    "for _ in 1; do : 'q[$(>ran)]'; (( _ )); done", "for _ in 1; do : 'q[$(>ran)]'; echo $((_ + 1)); done", "_=1; : 'q[$(>ran)]'; (( _ ))",
    "REPLY=1; read <<< 'q[$(>ran)]'; ((REPLY))", "OPTARG=1; (( OPTARG ))", "for OLDPWD in 1; do (( OLDPWD )); done", "echo $((UID))", "((COLUMNS))",
    "x=1; read x <<< 'q[$(>ran)]'; ((x))", "x=1; for x in 1 'q[$(>ran)]'; do ((x)); done", "x=1; mapfile -t x <<< 'q[$(>ran)]'; ((x))",
    "x=1; [[ -n a ]] && x='q[$(>ran)]'; ((x))", "[[ 'q[$(>ran)]' =~ .* ]]; (( BASH_REMATCH ))", "echo 'q[$(>ran)]' | { read; ((REPLY)); }",
)  # fmt: skip

NAME = st.one_of(st.sampled_from(OWN), st.sampled_from(("a", "i", "n", "x", "_", "REPLY")))
TEXT = st.sampled_from(
    (
        f"'{EVIL}'",
        "1",
        "0",
        "07",
        "x",
        "'1 2'",
        "",
        '"$x"',
        "$_",
        "$n",
        '"$_"',
        "$#",
        "$?",
        "$(echo 1)",
        "$((1 + 1))",
        "${#x}",
    )
)
EXPRESSION = st.one_of(
    NAME, st.builds("{} + 1".format, NAME), st.builds("{}++".format, NAME), st.builds("{} = {}".format, NAME, NAME), st.builds("${}".format, NAME),
    st.builds("{} < 3".format, NAME), st.builds("{} += 2".format, NAME), st.builds("{} ? 1 : 2".format, NAME), st.builds("{0}[0]".format, NAME), st.just("1 + 2"),
)  # fmt: skip
SIMPLE = st.one_of(
    st.builds("{}={}".format, NAME, TEXT), st.builds("{}=({} {})".format, NAME, TEXT, TEXT), st.builds(": {}".format, TEXT), st.builds("echo {}".format, TEXT),
    st.builds("(( {} ))".format, EXPRESSION), st.builds("echo $(( {} ))".format, EXPRESSION), st.builds("read {} <<< {}".format, NAME, TEXT),
    st.builds("read <<< {}".format, TEXT), st.builds("read -r {} < evil".format, NAME), st.builds("[[ ${} -eq 1 ]]".format, NAME),
    st.builds("[[ {} -lt 3 ]]".format, NAME), st.builds("[[ {} =~ (.*) ]]".format, TEXT), st.builds("[ ${} -gt 0 ]".format, NAME),
    st.builds("test -n \"${}\"".format, NAME), st.builds("mapfile -t {} < evil".format, NAME), st.builds("unset {}".format, NAME), st.just("cd ."), st.just("cat evil"),
    st.builds("declare {}={}".format, NAME, TEXT), st.builds("export {}={}".format, NAME, TEXT), st.builds("local {}={}".format, NAME, TEXT),
    st.builds("printf '%s' \"${}\"".format, NAME), st.builds("printf -v {} %s {}".format, NAME, TEXT), st.builds("{}={} true".format, NAME, TEXT),
    st.builds("IFS=, read -r {} {} < evil".format, NAME, NAME), st.builds("echo ${{{}:0:1}}".format, NAME), st.builds("echo ${{{}[0]}}".format, NAME),
    st.builds("echo {} | {{ read {}; (( {} )); }}".format, TEXT, NAME, NAME), st.sampled_from(("set -e", "set -u", "true", "false", "break", "continue", "ls", "shift", "wait")),
)  # fmt: skip
SCRIPT = st.recursive(
    SIMPLE,
    lambda inner: st.one_of(
        st.builds("{}; {}".format, inner, inner), st.builds("{} && {}".format, inner, inner), st.builds("{} || {}".format, inner, inner),
        st.builds("for {} in {} {}; do {}; done".format, NAME, TEXT, TEXT, inner), st.builds("if {}; then {}; else {}; fi".format, inner, inner, inner),
        st.builds("while {}; do {}; break; done".format, inner, inner), st.builds("( {} )".format, inner), st.builds("{{ {}; }}".format, inner),
        st.builds("case ${} in 1) {};; *) {};; esac".format, NAME, inner, inner), st.builds("for (({} = 0; {} < 2; {}++)); do {}; done".format, NAME, NAME, NAME, inner),
        st.builds("echo \"$({})\"".format, inner), st.builds("{}\n{}".format, inner, inner), st.builds("{} | cat".format, inner),
    ),
    max_leaves=8,
)  # fmt: skip


def passes(script: str) -> bool:
    analysis = analyse(script)
    return analysis.is_understood and not analysis.doubts


def ran(scripts: Sequence[str], folder: Path) -> list[str]:
    """Run scripts, each in a bash of its own and beside a file of programs; return those that ran one."""
    environment = {
        **os.environ,
        **{name: EVIL for name in OWN if name not in {"PATH", "HOME", "PWD"} and not name.startswith("BASH_ENV")},
    }
    for name in ("SHELLOPTS", "BASHOPTS", "PS4", "LANG", "LC_ALL", "TERM"):
        environment.pop(name, None)
    (folder / "evil").write_text(f"{EVIL}\n{EVIL},{EVIL}\n")
    lines = [
        f"env -i {shlex.join(f'{name}={value}' for name, value in environment.items())} timeout 2 {BASH} --noprofile --norc -c -- {shlex.quote(script)}"
        f" < /dev/null > /dev/null 2>&1; [ -e ran ] && rm ran && echo {number}"
        for number, script in enumerate(scripts)
    ]
    done = subprocess.run(
        [BASH, "-c", "\n".join(lines)], cwd=folder, capture_output=True, text=True, check=False, timeout=50
    )
    return [scripts[int(number)] for number in done.stdout.split()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("variables")


def test_scripts_that_count_still_pass() -> None:
    assert [script for script in PASSING if not passes(script)] == []


def test_known_ways_to_have_a_value_evaluated_ask(folder: Path) -> None:
    assert [script for script in KNOWN if passes(script)] == []
    assert len(ran(KNOWN, folder)) > len(KNOWN) // 2, "they do nothing, so that they show nothing"


@pytest.mark.parametrize("name", OWN)
def test_what_bash_sets_itself_is_never_a_number(name: str, folder: Path) -> None:
    shapes = (
        f"(( {name} ))",
        f"for {name} in 1; do (( {name} )); done",
        f"{name}=1; (( {name} ))",
        f"[[ {name} -eq 1 ]]",
        f"echo $(({name} + 1))",
        f"{name}=1; : '{EVIL}'; (( {name} ))",
    )
    assert ran([shape for shape in shapes if passes(shape)], folder) == []


@given(st.lists(SCRIPT, min_size=15, max_size=30))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@example(["for _ in 1; do : 'q[$(>ran)]'; (( _ )); done"])
def test_whatever_passes_evaluates_no_text(folder: Path, scripts: list[str]) -> None:
    assert ran([script for script in scripts if passes(script) and not re.search(r"\bwait\b", script)], folder) == []
