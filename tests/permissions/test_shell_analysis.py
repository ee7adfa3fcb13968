# ruff: noqa: E501 - commands stand whole, many on a line
"""Commands that people and models run all day, which only read, and what the analysis tells of them."""

from __future__ import annotations

import itertools
import time

import pytest
from shell_stand_in import judged, only_reads

from tui_agent.permissions.shell.analysis import Part

HARMLESS = r"""
ls
ls -la
ls -la src tests
ls && pwd
ls || pwd
ls; pwd
ls; pwd;
ls && pwd || ls -l
ls | head
ls | head -5 | tail -1
ls |& cat
! ls
! ls | grep x
ls && ! grep -q x f
(ls)
(ls; pwd)
( cd src && ls )
{ ls; pwd; }
{ ls; pwd; } | head
(ls; pwd) 2>/dev/null
{ ls; pwd; } 2>&1 | grep x
ls 2>/dev/null
ls 2> /dev/null
ls >/dev/null
ls >/dev/null 2>&1
ls &>/dev/null
ls &> /dev/null
ls 2>&1
ls >&2
ls 1>&2
ls 2>&-
ls </dev/null
ls 2>&1 | head
ls 2>/dev/null | wc -l
ls 2>/dev/null; pwd
ls -la 2>/dev/null || echo none
cat < f
cat <f
wc -l < README.md
grep x < f | wc -l
git log --oneline -5 | head
git status --short && git diff --stat
git log -1 --format='%H %s'
git log --format="%an <%ae>" | sort | uniq -c | sort -rn
rg -n 'a|b' src | sort | uniq -c
rg "foo\(bar" src
grep -rn "TODO" src | grep -v test
grep -n 'it'"'"'s' f
grep -E "^(a|b)$" f
grep -c '' f
grep "a\|b" f
grep a\|b f
grep -e '$HOME' f
grep '`x`' f
grep "it's; rm -rf /" f
grep 'a && b' f | head
find . -name '*.py'
find . -name "*.py" -newer x | xargs wc -l
find . -type f -name '*.py' | head -20
find src -name '*.py' | xargs grep -l foo
find . -name '*.py' -print0 | xargs -0 wc -l
find . -name '*.py' | sort | head -5 | xargs wc -l
find . -name '*.py' | grep -v test | xargs wc -l
find . -name '*.py' 2>/dev/null | xargs -r wc -l
find . -name '*.py' | xargs -n 1 basename
find . -name '*.py' | xargs -I{} wc -l {}
find . -name '*.py' | xargs -I {} head -1 {}
find . -name '*.md' | xargs -P 4 -n 10 wc -w
find . \( -name a -o -name b \) -type f
git ls-files | xargs wc -l
git ls-files '*.py' | xargs wc -l | tail -1
git diff --name-only | xargs ls -l
git diff --name-only HEAD~1 | grep py | xargs wc -l
rg -l foo | xargs wc -l
grep -rl foo src | xargs wc -l
ls *.py | xargs wc -l
ls | xargs echo
echo a b c | xargs ls
printf '%s\n' a b | xargs ls
jq .a f.json
jq '.a[] | select(.b == "c")' f.json
cat f | jq -r '.x'
awk '{print $1}' f
awk -F: '{print $1}' f | sort -u
cut -d: -f1 f
cut -d' ' -f2 f
cut -d\| -f2 f
tr a-z A-Z < f
sed -n '1,5p' f
sed -n "10,20p" f
sed 's/a/b/' f
ls *.py
ls src/*.py tests/**/*.py
ls ?.py [ab].txt
wc -l src/*.py | tail -1
cat {a,b}.txt
cat src/{a,b}/{c,d}.py
ls {1..3}
ls file{01,02}
ls {}
git show HEAD@{1}
git stash list
git show stash@{0}
git diff HEAD^ HEAD~2
git log a..b
git log --author="A B" --since='2 weeks ago'
echo "$HOME"
echo $PATH
echo "pid $$"; echo $$
ls $HOME
ls "$PWD"
ls ~
ls ~/src
cat "$FOO"
echo "$FOO" "$1" "$@" $? $# $$
echo ${FOO} ${FOO:-x} ${FOO:-default value} "${FOO:+set}"
echo "${x%.py}" "${x##*/}" "${x%/*}" ${x#a} ${x/a/b} ${x//a/b} ${x^^} ${x,,} ${#x} ${x:0:7} ${x: -3}
echo "${x:-(none)}"
echo "${1:-}" "${2-x}"
echo a#b '#c' "#d"
ls # a comment
ls # evil; rm -rf /
# just a comment
echo 'single $(quoted)'
echo "escaped \$(quoted) \`x\`"
echo \$HOME \; \| \& \> \(
echo "a \"quoted\" word"
echo 'a'"b"c\ d
echo $'a\tb\n'
echo $'it\'s'
echo "100%" 50% a@b c^d e+f g,h i:j k=l
echo -- -x
echo !
echo "hi!"
echo "price: $5"
echo a$ b
echo []
echo é "☃" 'ü'
ls [
git log --pretty=format:'%h %s' --abbrev-commit
echo "Today is $(date +%F)"
echo "Branch: $(git branch --show-current)"
echo $(ls | wc -l) files
echo "$(ls "$(pwd)")"
echo "$(cat "$(ls | head -1)")"
echo `ls`
echo "`date`"
cat $(git ls-files | head -3)
cat "$(ls -t | head -1)"
wc -l $(git ls-files '*.py')
head -n 5 $(find . -name '*.md')
x=$(ls); echo "$x"
x=1; echo $x
x=a y=b; echo "$x$y"
x='a b'; ls $x
x=README.md; wc -l "$x"
x="src/$y"; ls "$x"
file=README.md; wc -l $file && head "$file"
dir=src; ls "$dir"/*.py
COUNT=$(ls | wc -l); echo "$COUNT"
n=$(git rev-list --count HEAD); echo "$n"
n=$(ls | wc -l); echo $((n * 2))
n=1; n=$((n+1)); echo "$n"
i=0; while [ $i -lt 5 ]; do echo "$i"; i=$((i+1)); done
i=0; while [ "$i" -lt 5 ]; do echo $i; ((i++)); done
i=0; until [ $i -ge 3 ]; do i=$((i + 1)); done
for ((i=0; i<3; i++)); do echo "$i"; done
for ((i=0,j=9; i<j; i++,j--)); do echo $i $j; done
for f in *.py; do echo "$f"; done
for f in src/*.py; do wc -l "$f"; done
for f in a b c; do cat $f; done
for f in "$@"; do echo "$f"; done
for f; do echo "$f"; done
for i in 1 2 3; do echo $i; done
for i in {1..5}; do echo "line $i"; done
for i in $(seq 1 5); do echo $i; done
for f in $(ls); do echo $f; done
for f in $(git ls-files '*.py'); do wc -l "$f"; done
for f in $(find . -name '*.py'); do head -1 "$f"; done
for f in *.py; do if grep -q x "$f"; then echo "$f"; fi; done
for f in *.py; do [ -f "$f" ] && wc -l "$f"; done
for f in *.py; do [[ $f == a* ]] && continue; echo "$f"; done
for f in *.py; do echo "== $f"; head -3 "$f"; done | head -50
for d in */; do echo "$d: $(ls "$d" | wc -l)"; done
for d in a b; do (cd "$d" && ls); done
for f in a b; do for g in c d; do echo $f $g; done; done
while read -r line; do echo "$line"; done < f
while read line; do echo "$line"; done < f
while IFS= read -r line; do echo "$line"; done < f
while IFS=, read -r a b; do echo "$a $b"; done < f
cat f | while read -r line; do echo "$line"; done
git ls-files | while read -r f; do wc -l "$f"; done
find . -name '*.py' -print0 | while IFS= read -r -d '' f; do wc -l "$f"; done
while read -r f; do echo "$f"; done < <(git ls-files)
while true; do ls; break; done
if ls; then pwd; fi
if [ -f x ]; then cat x; else echo no; fi
if [ -f x ]; then cat x; elif [ -d x ]; then ls x; else echo no; fi
if [[ -f x && -r x ]]; then cat x; fi
if ! grep -q x f; then echo none; fi
if git diff --quiet; then echo clean; fi
if ls >/dev/null 2>&1; then echo yes; fi
if [ "$(ls | wc -l)" -gt 5 ]; then echo many; fi
if [ -n "$FOO" ] && [ -z "$BAR" ]; then echo x; fi
if ((1 < 2)); then ls; fi
case "$x" in a) ls;; esac
case $x in a|b) ls;; *) pwd;; esac
case "$x" in *.py) echo py ;; *.md) echo md ;; *) echo other ;; esac
case "$(pwd)" in /w*) ls;; esac
case x in (a) ls;; (b) pwd;; esac
case x in "a b") ls;; 'c') pwd;; esac
case x in a) ;; *) ls;; esac
[ -f x ]
[ -f x ] && cat x
[ -f "$x" ] && echo y
[ -d a -a -f b ]
[ ! -f x ] || ls
[ "$x" = y ]
[ "$x" != "$y" ]
[ "$x" = "a" -o "$x" = "b" ]
[ -z "$x" ]
[ $# -gt 0 ]
[ $? -eq 0 ]
[ "$x" -gt 5 ]
[ a == b ]
[ "$x" ]
[ ! "$x" ]
test -f x
test -f x && cat x
test "$x" = y
test ! -d a
[[ -f x ]]
[[ $x == y ]]
[[ $x = a* ]]
[[ "$x" != "" ]]
[[ -n $x && -z $y ]]
[[ -n $x || ! -f y ]]
[[ ( -n $x ) ]]
[[ $x =~ ^[0-9]+$ ]]
[[ $x =~ \.py$ ]]
[[ "$x" =~ (a|b)c ]]
[[ a < b ]]
[[ $# -eq 0 ]]
[[ a -nt b ]]
[[ ! -e x ]] && echo none
((1 + 1))
echo $(( $(date +%s) - 3600 ))
echo $(($(wc -l < f) + $(ls | wc -l) * 2))
for ((i = 1; i <= 5; i++)); do echo "Line $i: $(head -n "$i" f)"; done
files=(a b c); for f in "${files[@]}"; do cat "$f"; done
files=(src/*.py); echo "${#files[@]}"; for f in "${files[@]}"; do wc -l "$f"; done
arr=($(ls)); echo "${#arr[@]}" "${arr[0]}" "${arr[@]}"
IFS=',' read -ra parts <<< "a,b"; echo "${parts[1]}"
trap
umask
alias
jobs
echo $((1 + 2 * 3)) $(( (1+2) * 3 )) $((10 / 3)) $((10 % 3)) $((1 << 4)) $((0x1f))
x=5; echo $((x * 2)) $(($x + 1)) $((${x}))
x=5; ((x > 3)) && echo big
x=5; ((x += 2)); echo "$x"
echo $((RANDOM % 10))
true
false || ls
: comment
cd src && ls
cd src; ls
cd src && ls && cd .. && pwd
cd src || exit 1; ls
cd src && cat ../README.md
cd "a b" && ls
cd ./src && wc -l *.py
cd
cd -- src
cd src && ls | grep git
pwd; cd src; pwd
exit
exit 1
ls || exit 1
set -e; ls
set -euo pipefail; ls | head
set -x
shopt -s nullglob; ls *.py
shopt -s globstar; ls **/*.py
LC_ALL=C ls
LC_ALL=C sort f | uniq
LANG=C TZ=UTC date
NO_COLOR=1 ls
GIT_PAGER=cat git log -3
PAGER=cat git diff
TZ=America/New_York date
export LC_ALL=C; ls
local x=1
declare x=1
unset x
read -r x < f
read -r a b <<< "c d"
mapfile -t lines < f
timeout 5 ls
timeout 5s ls
timeout -k 5 30 ls
timeout --signal=KILL 5 ls
time ls
time ls | wc -l
time -p ls
nice ls
nice -n 10 ls
nice -10 ls
nohup ls
stdbuf -oL grep x f
command ls
command -v ls
command -v git >/dev/null && git status
command -V ls
builtin pwd
builtin cd src && ls
env ls
env LC_ALL=C ls
time timeout 5 nice ls
xargs echo < f
diff <(ls a) <(ls b)
diff <(sort a) <(sort b)
cat <(echo x) f
grep -f <(ls) f
cat <<< "x"
cat <<< $x
cat <<< "$(ls)"
wc -w <<< 'a b c'
grep x <<< "$y" | head
type ls
which ls
printf 'a\n'
printf '%s\n' "$x" b
printf "%d files\n" 5
printf -- '-x\n'
return 0
wait
ls;pwd
ls&&pwd
ls|head
(ls)|head
ls>/dev/null
ls 2>/dev/null>&2
cat<f
ls;  # x
"""  # fmt: skip

LINES = [
    "ls\npwd", "ls\n\n\npwd\n", "\nls", "ls \\\n  -la", "ls \\\n | head", "ls |\n head", "ls &&\n pwd", "ls ||\n\n pwd",
    "# one\nls # two\n# three\npwd", "ls # 'quote\npwd", "ls;\npwd;\n", "  ls  \n  pwd  ", "\tls\t-l", "ls\n# end",
    "for f in *.py\ndo\n  echo \"$f\"\ndone", "for f in a \\\n b; do\n ls\ndone", "for f in a b\n\ndo ls; done",
    "for f in *.py; do # each\n  ls\n  # nothing\ndone", "while read -r x\ndo\n  echo \"$x\"\ndone < f",
    "if [ -f x ]\nthen\n  cat x\nelse\n  ls\nfi", "if ls; then\n  pwd # x\n  ls\nelif pwd; then\n  ls\nelse\n  pwd\nfi",
    "case \"$x\" in\n  a|b)\n    ls\n    ;;\n  *)\n    pwd\n    ;;\nesac", "case x in\n a) ls\n ;;\n *) pwd\nesac",
    "(\n  ls\n  pwd\n)", "{\n  ls\n  pwd\n}", "{ ls\n}", "(ls\n)", "if ls; then\n\n  pwd\n\nfi\n\nls",
    "cat <<EOF\nhi\nEOF", "cat <<EOF\nhi $USER $(date)\nEOF", "cat <<'EOF'\n$(evil) `evil` ${x:-$(evil)}\nEOF",
    "cat <<\"EOF\"\n$(evil)\nEOF", "cat <<\\EOF\n$(evil)\nEOF", "cat <<-EOF\n\thi\n\tEOF", "cat <<EOF | grep h\nhi\nEOF",
    "cat <<'EOF' | wc -l\na\nb\nEOF\nls", "cat <<EOF && ls\nhi\nEOF", "cat << EOF\nhi\nEOF\nls", "grep x <<EOF\nx\ny\nEOF",
    "cat <<EOF\na\\b \\$x\nEOF", "cat <<EOF\nit's \"quoted\"\nEOF", "cat <<EOF\nEOF", "cat <<'END-1'\nx\nEND-1",
    "x=$(cat <<'EOF'\nhi\nEOF\n)\necho \"$x\"", "echo \"$(cat <<'EOF'\nhi; evil\nEOF\n)\"", "while read -r x; do echo \"$x\"; done <<EOF\na\nEOF",
    "cat <<EOF 2>/dev/null\nhi\nEOF", "cat <<EOF\n${x:-y} $((1+1)) $1\nEOF", "echo 'a\nb'", "echo \"a\n$x\n\"", "echo \"a\\\nb\"",
    "x=1\ny=2\necho $x $y", "echo $(\n  ls\n  pwd\n)", "ls \\\n  && pwd \\\n  || ls", "! ls &&\npwd", "[[ -f x &&\n -f y ]]",
    "for f in a b; do\n  case $f in\n    a) ls ;;\n  esac\ndone", "if true; then for f in a; do ls; done; fi",
    "set -e\ncd src\nls", "echo one; echo two # three\necho four", "((\n1 + 1\n))",
]  # fmt: skip

ALL = [*filter(None, HARMLESS.split("\n")), *LINES]


@pytest.mark.parametrize("command", ALL)
def test_what_people_run_all_day_only_reads(command: str) -> None:
    assert judged(command).doubts == ()


def the_only_part(command: str, name: str) -> Part:
    [part] = [part for part in judged(command).parts if part.words and part.words[0].value == name]
    return part


def values(command: str, name: str) -> list[str]:
    return [word.value for word in the_only_part(command, name).words[1:]]


def folders(command: str, name: str) -> list[list[str]]:
    return [[word.value for word in chain] for chain in the_only_part(command, name).folders]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("x=a; cat $x", ["a"]),
        ("x='a b'; cat $x", ["a", "b"]),
        ("x='a b'; cat \"$x\"", ["a b"]),
        ("x=a; x=b; cat $x", ["b"]),
        ('x=a y=$x; cat "$y$x"', ["aa"]),
        ("x=; cat $x b", ["b"]),
        ('x=; cat "$x" b', ["", "b"]),
        ("cat {a,b{c,d}}", ["a", "bc", "bd"]),
        ("cat {3..1}", ["3", "2", "1"]),
        ("cat a{1,2}b", ["a1b", "a2b"]),
        ("cat {a} {} {a", ["{a}", "{}", "{a"]),
        ("cat '{a,b}' \"{a,b}\" \\{a,b}", ["{a,b}", "{a,b}", "{a,b}"]),
        (r"cat $'a\tb\x41\101'", ["a\tbAA"]),
        (r"cat a\ b 'c d' e'f'\''g'", ["a b", "c d", "ef'g"]),
        ("x=a; (x=b); cat $x", ["a"]),
        ("x=a; ls | x=b; cat $x", ["a"]),
        ("x=a; { x=b; }; cat $x", ["b"]),
        ("cat $PWD/a", ["./a"]),
        ("x=5; x=$((x)); cat a b", ["a", "b"]),
    ],
)
def test_known_values_are_put_in(command: str, expected: list[str]) -> None:
    assert values(command, "cat") == expected
    assert all(word.is_known for word in the_only_part(command, "cat").words)


@pytest.mark.parametrize(
    "command",
    [
        "cat $x", "x=$(ls); cat $x", "x=a; x=$y; cat $x", "if ls; then x=a; fi; cat $x", "x=a; read -r x; cat $x",
        "x=a; for i in 1 2; do x=$i$x; done; cat $x", "x=a; unset x; cat $x", "x=$(ls) cat $x", "x=a; eval y; cat $x",
        "readonly x; x=a; cat $x", ". f; x=a; cat $x", "if ls; then eval y; fi; x=a; cat $x",
        "x='a\\b'; cat $x", "cat ~root", "x=a; while ls; do x=$y; done; cat $x",
    ],
)  # fmt: skip
def test_what_may_have_changed_is_not_known(command: str) -> None:
    word = the_only_part(command, "cat").words[1]
    assert not word.is_known
    assert not word.is_literal
    assert "$" in word.value


@pytest.mark.parametrize(
    ("word", "splits"), [("$x", True), ('"$x"', False), ("$@", True), ('"$@"', True), ('"a$x"', False), ("$(ls)", True)]
)
def test_an_unknown_word_tells_whether_it_is_one(word: str, splits: bool) -> None:
    assert the_only_part(f"cat {word}", "cat").words[1].may_split is splits


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("wc -l f", [[]]),
        ("cd a && wc -l f", [["a"]]),
        ("cd a; wc -l f", [[], ["a"]]),
        ("cd a && cd b && wc -l f", [["a", "b"]]),
        ("cd a || exit 1; wc -l f", [["a"]]),
        ("cd a || ls; wc -l f", [[], ["a"]]),
        ("(cd a); wc -l f", [[]]),
        ("(cd a && wc -l f)", [["a"]]),
        ("{ cd a; } && wc -l f", [["a"]]),
        ("cd a | ls; wc -l f", [[]]),
        ("if cd a; then wc -l f; fi", [["a"]]),
        ("if cd a; then ls; fi; wc -l f", [[], ["a"]]),
        ("! cd a && wc -l f", [[]]),
        ("x=a; cd $x && wc -l f", [["a"]]),
        ("for d in a b; do (cd $d && wc -l f); done", [["a"], ["b"]]),
        ("echo $(cd a); wc -l f", [[]]),
        ("while ls; do cd a; break; done; wc -l f", [[], ["a"]]),
        ("time cd a && wc -l f", [["a"]]),
        ("cd a && wc -l f && cd b", [["a"]]),
    ],
)
def test_where_a_command_may_run(command: str, expected: list[list[str]]) -> None:
    assert sorted(folders(command, "wc")) == expected


def test_each_part_has_its_own_redirections_and_a_group_has_a_part_for_its() -> None:
    parts = judged("{ ls > a; pwd; } 2> b < c").parts
    assert [[one.operator + one.target.value for one in part.redirects if one.target] for part in parts] == [
        [">b", "<c"], [">a"], [],
    ]  # fmt: skip


@pytest.mark.parametrize(
    "word",
    [
        "~/.ssh/id", "~", '"$HOME/.ssh/id"', "$HOME/.ssh/id", "${HOME}/.ssh/id", '""$HOME/.ssh', '"${HOME}"/.ssh', "{${HOME},${HOME}}/.ssh",
        '"$HOME"/.ssh/*', "~/{.ssh,.aws}", "$HOME",
    ],
)  # fmt: skip
def test_what_begins_with_the_home_folder_says_so(word: str) -> None:
    words = the_only_part(f"cat {word}", "cat").words[1:]
    assert words
    assert all(one.raw == one.value and (one.value == "~" or one.value.startswith("~/")) for one in words)


@pytest.mark.parametrize("word", ["'~/.ssh'", '"~/.ssh"', "\\~/.ssh", "'~'/x", "x=~; cat $x", "'~'*", "./~"])
def test_a_protected_tilde_is_a_tilde(word: str) -> None:
    [one] = the_only_part(word if "cat" in word else f"cat {word}", "cat").words[1:]
    assert not one.raw.startswith("~")


@pytest.mark.parametrize(
    "word",
    [
        "--file=$HOME/x",
        '"--file=$HOME/x"',
        "a/$HOME",
        '-f"$HOME"/x',
        "--file=~/x",
        "a:~/x",
        "~root/x",
        "x{,~}",
        "{~,a}/x",
        "{a,~}/x",
        "a{b,{c,~}}",
    ],
)
def test_a_home_folder_inside_a_word_is_not_taken_for_a_name(word: str) -> None:
    words = the_only_part(f"cat {word}", "cat").words[1:]
    assert any(not one.is_literal and "$" in one.value for one in words)


def test_commands_in_substitutions_are_parts_that_say_so() -> None:
    found = [(part.words[0].value, part.is_inside) for part in judged('echo "$(ls)" `pwd` <(cat f)').parts]
    assert sorted(found) == [("cat", True), ("echo", False), ("ls", True), ("pwd", True)]


def test_a_loop_reads_each_of_its_words() -> None:
    [part] = [part for part in judged('for f in a b; do cat "$f"; done').parts if part.command.words]
    assert {word.value for word in part.judgement.reads} == {"a", "b"}
    assert part.judgement.kind == "read_only"


def test_a_loop_over_a_glob_reads_what_it_stands_for() -> None:
    [part] = judged('for f in src/*.py; do cat "$f"; done').parts
    [word] = part.judgement.reads
    assert (word.value, word.known, word.has_glob) == ("src/*.py", "src/", True)


def test_a_text_that_is_not_understood_has_the_commands_that_can_be_seen() -> None:
    analysis = judged("ls & rm x")
    assert analysis.check == "background"
    assert [part.command.words[0].value for part in analysis.parts] == ["ls", "rm"]
    assert all(part.judgement.kind == "unknown" and not part.is_certain for part in analysis.parts)


@pytest.mark.parametrize(
    "command",
    [
        "ls; " * 3000, "(" * 3000 + "ls" + ")" * 3000, "$(" * 3000, "echo " + "$(echo " * 900 + ")" * 900, "`" * 9000,
        "{a,b}" * 1500, "echo " + "{a,b}" * 60, "echo " + "{" * 4000, "if " * 3000, "for x in a b c d; do " * 60 + "ls; " + "done; " * 60,
        "x=1; " + "while ls; do x=$((x+1)); " * 30 + "done; " * 30, "ls && " * 1600 + "ls", "ls | " * 1900 + "ls",
        "[[ " + "( " * 2000 + "x" + " )" * 2000 + " ]]", "cat " + "{a," * 1500 + "b" + "}" * 1500, "cat " + "{a,b,c}" * 30,
        "x=a; " + 'x="$x$x"; ' * 600 + "echo $x", "for x in a b c d e; do for y in a b c d e; do " + "echo $x$y$x$y; " * 300 + "done; done",
        "echo " + '"$x' * 2000, "[[ " + "( " * 3000, "echo $((" + "(" * 4000, "<<E " * 2000, "case x in " + "a) ls;; " * 1000 + "esac",
    ],
    ids=itertools.count(),
)  # fmt: skip
def test_a_long_command_takes_no_long_time(command: str) -> None:
    started = time.process_time()
    judged(command[:10_000])
    assert time.process_time() - started < 2


def test_a_usual_command_is_analysed_within_a_few_milliseconds() -> None:
    commands = [f"git log --oneline -{count} | head -{count}; ls src/{count} 2>/dev/null" for count in range(60)]
    only_reads(commands[0])
    times = []
    for command in commands:
        started = time.process_time()
        only_reads(command)
        times.append(time.process_time() - started)
    assert sorted(times)[len(times) // 2] < 0.005
