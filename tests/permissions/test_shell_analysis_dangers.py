# ruff: noqa: E501 - commands stand whole, many on a line
"""Commands that must never be taken to only read, whatever they look like. `evil` is a program that nothing is known of."""

from __future__ import annotations

import pytest
from call_lists import listed
from shell_stand_in import judged, only_reads

# With line breaks, characters that look like blanks, and here-documents.
LINES = [
    "ls\nevil", "ls\n\nevil", "ls \\\n evil\nevil", "\nevil", "ls;\nevil", "ls &&\nevil", "ls |\nevil", "ls # x\nevil",
    "# x\nevil", "#\\\nevil", "ls # \\\nevil", "ls #'\nevil #'", "ls '#\n'; evil", "e\\\nvil", "ls a\\\nb; evil", "l\\\ns",
    "ls\revil", "ls\r\nevil", "ls \r", "ls\x0bevil", "ls\x0cx", "ls\x00x", "ls \x1b[31m", "ls\x7f", "ls\u00a0x;evil",
    "ls\u2003evil;evil", "evil\u200b", "ls\u00a0-la", "\u200bls", "ls\ud800",
    "cat <<E\n$(evil)\nE", "cat <<E\n`evil`\nE", "cat <<E\n${x:-$(evil)}\nE", "cat <<E\n$((a[$(evil)]))\nE",
    "cat <<-E\n\t$(evil)\n\tE", "cat <<E\nx\nE\nevil", "cat <<E; evil\nx\nE", "cat <<E && evil\nx\nE", "cat <<E | evil\nx\nE",
    "cat <<E || evil\nx\nE", "cat <<'E'\nE\nevil", "cat <<'E'\nE\nevil\nE", "cat <<E\nE \nE\nevil", "cat <<'E'\nx\n E\nE\nevil",
    "cat <<'E' <<'F'\nE\nevil\nF", "cat <<E <<F\nE\nF\nevil", "evil <<E\nx\nE", "cat <<E\nx", "cat <<E\nx\nE2",
    "cat <<E\n\\$(ls) $(evil)\nE", "cat <<E\na\\\nE\nevil\nE", "cat <<$X\nx\n$X", "cat <<E$X\nx\nE$X", "cat <<$(evil)\nx\n$(evil)",
    "cat <<\"$(evil)\"\nx\n$(evil)", "cat <<'E\nF'\nx\nE\nF\nevil", "(cat <<E)\nx\nE\nevil", "(cat <<E\nx\nE\nevil)",
    "cat <<E > f\nx\nE", "cat > f <<E\nx\nE", "cat <<E 2> f\nx\nE", "echo $(cat <<E\n$(evil)\nE\n)", "x=$(cat <<E\n`evil`\nE\n)",
    "cat <<E\n\"$(evil)\"\nE", "cat <<E\n'$(evil)'\nE", "cat <<\\E\nx\nE\nevil", "bash <<E\nevil\nE", "sh <<'E'\nevil\nE",
    "cat <<E | sh\nevil\nE", "cat <<'E' |\nx\nE\nevil", "cat <<'E' && {\nx\nE\nevil\n}", "if cat <<E; then evil; fi\nx\nE",
    "while read -r x; do evil; done <<E\nx\nE", "cat <<'E'\nx\nE\n) ; evil", "cat << 'E' ; ls ; evil\nE",
    "cat <<\"E\"\n$x\nE\n$(evil)", "cat <<-'E'\n\tx\n\tE\n\tevil", "cat <<'E'\n\tE\nevil\nE\nevil", "cat <<E\n\tE\n$(evil)\nE",
    "for x in a\ndo\nevil\ndone", "for x in a; do ls; done\nevil", "if ls\nthen\nevil\nfi", "while ls\ndo\nevil\ndone",
    "case x in\nx)\nevil\n;;\nesac", "{\nls\nevil\n}", "(\nls\nevil\n)", "ls && \\\nevil", "ls; \\\nevil", "ls | \\\n evil",
    "echo 'a\nb'; evil", "echo \"a\nb\" && evil", "echo \"a\n$(evil)\nb\"", "[[ a\n]]\nevil", "(( 1\n))\nevil", "f()\n{\nls\n}\nf",
    "x=1\nPATH=y\nls", "cd x\ngit status", "ls > f\nls", "ls &\nls", "echo a \\\n# b\nevil", "echo a\\\n#$(evil)",
    "echo $(ls\nevil)", "echo `ls\nevil`", "echo $(ls # )\nevil)", "echo \"$(ls # \")\"\nevil\n)\"",
    "echo $(case x in x) evil;; esac)", "echo $(case x in (x) evil;; esac)", "echo ${x:-\n$(evil)}",
]  # fmt: skip

DANGERS = [*listed("scripts_harmful.txt"), *LINES]


@pytest.mark.parametrize("command", DANGERS)
def test_what_is_not_surely_harmless_is_never_taken_to_only_read(command: str) -> None:
    assert not only_reads(command)


def test_each_doubt_has_an_id_and_a_reason() -> None:
    doubts = [doubt for command in DANGERS for doubt in judged(command).doubts]
    assert all(check and reason for check, reason in doubts)
    assert len({check for check, _reason in doubts}) > 20
