"""Scripts of sed and awk, against the real programs: what is let through leaves no mark when it runs."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tui_agent.permissions.shell.programs.awk_program import awk_doubt
from tui_agent.permissions.shell.programs.sed_script import sed_doubt

# Pieces of scripts, some of which do harm by themselves: `out` is the mark that they leave.
_SED_WORDS = r"""
    s / / / | a b x w e ; ; { } p d q n 1 $ ! , \ [ ] [^ [: :] g I y i c r # :l bl 5 ~ + = z t & * N D G H - '
    s/a/b/ /a/ s/a/b s/a/b/; 1{ a\/ s|a| y/a/b/ [/] [^/] \/ \n
"""
_AWK_WORDS = r"""
    print printf $1 x 1 "a" "out" > >> | "touch" system getline ( ) { } [ ] / / / \ " # ; , if else while for do BEGIN END
    + - ++ = == ~ ! && || ? : in return length /a/ [/] a (x) /"/ >"out" print>"out" "/" /=/
"""
_SED_HARM = ("w out", "e touch out", "1e touch out", "s/a/touch out/e", "s/a/b/w out", ";w out")
_AWK_HARM = ('("touch out")', 'system("touch out")', '"touch out" | getline')
SED_PIECES = (*_SED_WORDS.split(), *_SED_HARM, " ", "\n", "\\\n", "a\\\n", "a text")
AWK_PIECES = (*_AWK_WORDS.split(), *_AWK_HARM, " ", " ", "\n", "\\\n", "{print}", "if (x) ", '# "')
WORKERS = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@pytest.fixture
def leaves_marks(tmp_path: Path) -> Callable[[list[str]], bool]:
    """Return a function that runs a program in an empty folder and says whether it left anything there."""
    folder = tmp_path / "work"

    def run(words: list[str]) -> bool:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        with contextlib.suppress(subprocess.TimeoutExpired):  # an endless loop is harmless
            subprocess.run(
                words,
                cwd=folder,
                input=b"a b\nc/d\n",
                check=False,
                timeout=0.5,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        return any(folder.iterdir())

    return run


def _installed(*names: str) -> list[str]:
    return [name for name in names if shutil.which(name)]


@pytest.mark.skipif(not shutil.which("sed"), reason="no sed here")
@settings(WORKERS)
@given(st.lists(st.sampled_from(SED_PIECES), max_size=14).map("".join))
@example("s/[/]/w out/")
@example("s/[/]b/w out/")
@example("1{s/a/b/};w out")
@example("a\\\n;w out")
@example("s/a\\/b/e touch out/")
def test_no_sed_script_that_passes_leaves_a_mark(leaves_marks: Callable[[list[str]], bool], script: str) -> None:
    if "out" not in script or sed_doubt(script) is not None:
        return
    for program in _installed("sed"):
        assert not leaves_marks([program, script])
        assert not leaves_marks([program, "-nE", "-e", script])


@pytest.mark.skipif(not _installed("awk", "gawk", "mawk"), reason="no awk here")
@settings(WORKERS)
@given(st.lists(st.sampled_from(AWK_PIECES), max_size=16).map("".join))
@example('{ x = 1 /"/; system("touch out"); y = "/" }')
@example('{ if (1) /"/; system("touch out"); y = /"/ }')
@example('{ print $1,\n$2 > "out" }')
@example('{ print a b > "out" }')
@example('/[/]/ { print > "out" } /]/ ')
@example('{ x = length / 2; system("touch out") #/ }\n}')
@example('{ print ++/x/ > "out" }')
def test_no_awk_program_that_passes_leaves_a_mark(leaves_marks: Callable[[list[str]], bool], program: str) -> None:
    if "out" not in program or awk_doubt(program) is not None:
        return
    for awk in _installed("gawk", "mawk", "awk"):
        assert not leaves_marks([awk, program])


@pytest.mark.parametrize(
    ("script", "check"),
    [
        *((script, "sed-write") for script in ("w out", "s/a/b/w out", "1e id", "s/a/b/ge", "r x", "R x", "1!W x")),
        *(
            (script, "sed-script")
            for script in ("v", "s/a/b", "s/a/b/k", "sxaxbx", "p p", "s/[\\]/x/", "s/a[/]b/c/;p", "#n", "p\0w x")
        ),
        ("s/a\nb/c/", "sed-script"),
    ],
)
def test_sed_scripts_that_do_not_pass(script: str, check: str) -> None:
    doubt = sed_doubt(script)
    assert doubt is not None
    assert doubt.check == check


@pytest.mark.parametrize(
    "program",
    ['print "', "/a", "/[/]/", "a @b", "length / 2", "x++ / 2", ")", "# \\\nx", 'print "a\nb"', "/a\n/", "$/a/"],
)
def test_awk_programs_that_are_not_understood(program: str) -> None:
    doubt = awk_doubt(program)
    assert doubt is not None
    assert doubt.check == "awk-script"


@pytest.mark.parametrize(
    "script",
    ["s/[/]/x/", "s/.*com[:/]//", "/[/]/d", "s/[^/]*$//", "s/[][]//g", "/[/]w out/p", "s/[[:space:]/]/_/g", "s|[|]|x|"],
)
def test_delimiters_in_brackets_pass_where_no_sed_reads_harm_into_them(script: str) -> None:
    assert sed_doubt(script) is None
