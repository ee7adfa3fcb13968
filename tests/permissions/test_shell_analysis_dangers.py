# ruff: noqa: E501 - commands stand whole, many on a line
"""Commands that must never be taken to only read, whatever they look like. `evil` is a program that nothing is known of."""

from __future__ import annotations

import pytest
from shell_stand_in import judged, only_reads

# Each of these runs `evil`, or may, in a place that is easy to overlook.
HIDDEN = r"""
evil
ls; evil
ls && evil
ls || evil
ls | evil
ls |& evil
evil | ls
! evil
ls & evil
(evil)
( ls; evil )
{ evil; }
{ ls; evil; }
if evil; then ls; fi
if ls; then evil; fi
if ls; then ls; else evil; fi
if ls; then ls; elif evil; then ls; fi
if ls; then ls; elif ls; then evil; fi
while evil; do ls; done
while ls; do evil; done
until evil; do ls; done
for x in a b; do evil "$x"; done
for x in $(evil); do ls; done
for x in `evil`; do ls; done
for ((i=0;i<3;i++)); do evil; done
for ((i=$(evil);i<3;i++)); do ls; done
case x in x) evil;; esac
case $(evil) in x) ls;; esac
case x in $(evil)) ls;; esac
case x in a) ls;; *) evil; esac
case x in a) ls;; (b) evil;; esac
select x in a b; do ls; done
echo $(evil)
echo `evil`
echo "$(evil)"
echo "`evil`"
echo "a $(ls "$(evil)") b"
echo $(ls; evil)
echo $(ls | evil)
echo "$(ls && evil)"
echo ${x:-$(evil)}
echo "${x:-$(evil)}"
echo "${x:-`evil`}"
echo ${x:=$(evil)}
echo ${x:+$(evil)}
echo ${x/a/$(evil)}
echo ${x#$(evil)}
echo ${x:$(evil)}
echo ${x:0:$(evil)}
echo ${a[$(evil)]}
echo ${#a[$(evil)]}
echo $(( $(evil) ))
echo $((a[$(evil)]))
echo $((a[`evil`]))
echo "$(( x + $(evil) ))"
echo $[ $(evil) ]
x=$(evil)
x=`evil`
x="$(evil)"
x=(a $(evil))
x[$(evil)]=1
LC_ALL=$(evil) ls
LANG=`evil` ls
[ "$(evil)" = x ]
[[ $(evil) = x ]]
[[ x = $(evil) ]]
[[ x =~ $(evil) ]]
[[ -n $(evil) ]]
[[ a -eq $(evil) ]]
[[ -v a[$(evil)] ]]
test "$(evil)"
(( $(evil) ))
(( a[$(evil)] = 1 ))
let x=$(evil)
let 'a[$(evil)]=1'
diff <(evil) <(ls)
diff <(ls) <(ls; evil)
ls > >(evil)
cat < <(evil)
cat <<< "$(evil)"
cat <<< $(evil)
cat <<< `evil`
ls < "$(evil)"
ls 2> "$(evil)"
timeout 5 evil
time evil
time { evil; }
time ! evil
time -p evil
nice evil
nice -n 5 evil
nohup evil
stdbuf -oL evil
command evil
command -p evil
builtin evil
env evil
env A=1 ls
env -i evil
env -S 'evil x'
time timeout 5 nice evil
exec evil
eval evil
eval "ls; evil"
eval ls
source evil
. evil
source <(evil)
trap evil EXIT
trap 'evil' INT
trap - EXIT
coproc evil
coproc { evil; }
coproc x { evil; }
f() { evil; }
f() { ls; }
function f { ls; }
ls() { evil; }; ls
f () ( ls )
alias ls=evil
alias ls='evil'; ls
ls | xargs evil
ls | xargs -n1 evil
ls | xargs -I{} evil {}
ls | xargs -I{} {}
ls | xargs -I X X
ls | xargs sh -c 'evil'
ls | xargs -a f evil
ls | xargs env evil
ls | xargs timeout 5 evil
ls | xargs xargs evil
echo /etc/passwd | xargs cat
cat list | xargs cat
find . | sed 's|.|/etc/passwd|' | xargs cat
find . -printf '/etc/passwd\n' | xargs cat
find . | grep -o '/.*' | xargs cat
find / | xargs cat
find .. | xargs cat
ls | awk '{print "/etc/passwd"}' | xargs cat
ls -a | xargs cat
ls -l | xargs cat
git log --format=%B | xargs cat
git show --name-only | xargs cat
ls > names | xargs cat
ls; cat f | xargs cat
ls | xargs -d evil -p cat
$X
$X y
"$X"
${X}
$(ls)
`ls`
"$(echo ls)" x
{ls,evil}
l{s,}
*
./*.sh
e?il
~/x
l\s
\ls
\evil
'ls'
"ls"
l's'
l""s
$'ls'
$'\x6cs'
ls$X
x=evil; $x
x=ls; $x
x=evil; "$x" y
for c in ls cat; do $c; done
for c in ls evil; do command $c; done
x=ls; time $x
ls -\delete
find . -\delete
find . \-delete
sed -\i x f
sort -\o f g
ls \-\-x
timeout $T ls
timeout 5 $X
nice $X ls
command $X
nohup $X
ls | xargs $X
ls | xargs "$X"
"""  # fmt: skip

# What is set here is heeded by programs or by the shell, or cannot be told.
SETTING = r"""
PATH=. ls
PATH=x
PATH=.:$PATH; ls
LD_PRELOAD=./x.so ls
LD_LIBRARY_PATH=. ls
BASH_ENV=x ls
ENV=x ls
IFS=x
IFS=/ ls
HOME=/x ls
HOME=/tmp; cat ~/x
PWD=/etc; cat $PWD/passwd
OLDPWD=/etc
CDPATH=/etc
GIT_DIR=x git log
GIT_PAGER=evil git log
GIT_EXTERNAL_DIFF=evil git diff
GIT_SSH_COMMAND=evil git log
PAGER=evil git log
EDITOR=evil git log
LESSOPEN=evil ls
PS4='$(evil)' ls
PROMPT_COMMAND=evil
PYTHONPATH=. ls
NODE_OPTIONS=x ls
http_proxy=x ls
http_proxy=x
https_proxy=x
SHELLOPTS=x ls
BASHOPTS=x
FOO=bar ls
TMPDIR=/x ls
a[0]=1
a[$x]=1
PATH=(a b)
x=([0]=a)
x=([$(evil)]=a)
x=(a $(evil) b)
x=(a `evil`)
x=(a); x=(/etc/passwd); x[0]=b
x=(a b) ls
echo $(( $(cat f) + 1 ))
echo $(( $(evil) + 1 ))
echo $(( $(ls | wc -l; evil) ))
echo $(( $(cat f | head -1) ))
x+=(a)
x+=a
export PATH=x
export FOO=bar
export x
export
export -f f
export LD_PRELOAD=x
declare -x PATH=x
declare PATH=x
declare -i x=1
declare -n x=PATH
declare 'a[$(evil)]=1'
typeset -i x='a[$(evil)]'
local PATH=x
readonly PATH
readonly PATH=x
unset PATH
readonly x=a
LANGUAGE=../../x ls
LANG=$X ls
LC_ALL=/w/x ls
TERM=../x ls
TZ=:/etc/passwd date
export LANG=$X
env LANGUAGE=../x ls
printf '%ln' PATH; ls
for f in *.py; do sort $f; done
for f in *.py; do [ -f $f ]; done
echo 'a /etc/passwd' | xargs cat
echo "a' '/etc/passwd" | xargs cat
find 'a /etc' -name x | xargs cat
echo -e 'a\n/etc/passwd' | xargs cat
printf '%s\n' 'a /etc/passwd' | xargs cat
unset 'a[$(evil)]'
unset -f ls
unset $X
read PATH
read -r PATH < f
read 'a[$(evil)]'
read -a PATH
read -ra 'x[$(evil)]'
read $X
read -u 3 x
IFS= read -r PATH
while read -r PATH; do ls; done
for PATH in a b; do ls; done
for IFS in a b; do ls; done
for HOME in a b; do ls; done
mapfile -C evil x
mapfile -t PATH
mapfile 'a[$(evil)]'
readarray -C evil -c 1 x
printf -v PATH x
printf -v 'a[$(evil)]' x
printf -vPATH x
printf "$X"
printf $X
printf "$X" y
printf '%n' PATH
printf 'abc%n' PATH; ls
getopts a 'a[$(evil)]'
set -a
set -o allexport
set -k
set -T
set -- a b
set
set -o posix
set $X
shopt -s expand_aliases
shopt -s lastpipe
shopt -s extglob
shopt -s $X
enable -n ls
enable -f ./x.so ls
hash -p ./evil ls
hash -r
bind -x x
complete -C evil ls
ulimit -n 5
umask 0
pushd x
popd
kill 1
wait $X
wait -n 'a[$(evil)]'
fc -s
history -c
((PATH=1))
((x=PATH))
echo $((PATH=1))
echo $((IFS=1))
echo $((x))
echo $((x+1))
echo $(($x+1))
echo $((${x}+1))
echo $((a[0]))
echo $((a[x]))
x=y; echo $((x))
x='a[$(evil)]'; echo $((x))
x=$(cat f); echo $((x))
x=$(cat f); echo $((x + 1))
read -r x; echo $((x))
x=1; x=$(cat f); ((x++))
for x in a 'b[$(evil)]'; do echo $((x)); done
x=1; read x; echo $((x))
x=1; while ls; do x=$(cat f); done; echo $((x))
[[ $x -eq 1 ]]
[[ x -eq 1 ]]
[[ $x -gt $y ]]
x='a[$(evil)]'; [[ $x -eq 0 ]]
x='a[$(evil)]'; [[ x -eq 0 ]]
[[ -v x ]]
[[ -v $x ]]
[[ -R x ]]
test -v x
test -v 'a[$(evil)]'
[ -v 'a[$(evil)]' ]
[ $x ]
[ $x = y ]
[ -n $x ]
test $x
x='-v a[$(evil)]'; [ $x ]
[ -n $(cat f) ]
[ "$x" "$y" ]
[ "$x" y ]
[ ! -v x ]
[ x -a -v y ]
[ -f x -a "$y" ]
echo ${x@P}
x='$(evil)'; echo ${x@P}
x='$(evil)'; echo "${x@P}"
echo ${!x}
echo ${!x*}
echo "${!x}"
echo ${x:=y}
echo ${x=y}
echo ${PATH:=.}
: ${PATH:=.}
echo ${x:y}
echo ${x:a[0]}
echo ${x:0:y}
echo ${x@A}
echo ${x@E}
echo ${a[x]}
echo ${a[i]}
"""  # fmt: skip

# Writing, connecting, staying behind; and what cannot be read with certainty.
OTHER = r"""
ls > f
ls >> f
ls >| f
ls &> f
ls &>> f
ls 2> f
ls 1> f
ls > $X
ls > "$X"
ls > ~/f
ls > *.txt
ls > {a,b}
ls >&f
ls >& f
ls >&$X
ls > /dev/tcp/h/80
cat < /dev/tcp/h/80
cat </dev/udp/h/53
ls > "/dev/tcp/h/80"
x=/dev/tcp/h/80; ls > $x
ls <> f
ls 3> f
ls 3<> f
ls {fd}> f
ls {fd}>f
ls {fd}>&1
ls 5>&1
ls 3>&1
ls >&3
ls 2>&1 > f
> f
: > f
true > f
x=1 > f
(ls) > f
{ ls; } > f
{ ls; } >> f
if ls; then ls; fi > f
for x in a; do ls; done > f
while ls; do ls; done > f
case x in x) ls;; esac > f
[[ x ]] > f
((1)) > f
[ x ] > f
ls | cat > f
ls && ls > f
! ls > f
ls > f | cat
(ls > f)
echo $(ls > f)
echo $(> f)
cat <<E > f
ls &
ls & ls
(ls) &
{ ls; } &
ls && ls &
ls | cat &
sleep 5 &
for x in a; do ls & done
echo $(ls &)
cd $X
cd "$X" && ls
cd - && ls
cd && cd $(ls)
cd *
cd a b
cd "$(cat f)"; ls
while ls; do cd x; done
for d in a b; do cd $d; ls; cd ..; done
cd src && git status
cd src && timeout 5 git status
cd src && ls | xargs git diff
cd src; git log
(cd src && git status)
if cd x; then git status; fi
{ cd x; }; git diff
pushd src && ls
ls 'unfinished
ls "unfinished
ls `unfinished
ls $(unfinished
ls ${unfinished
ls \
ls )
( ls
{ ls
{ ls }
{ls; }
if ls; then
if ls; ls; fi
for x in a; ls; done
for x in a do ls; done
while ls; do
case x in
case x in a) ls
esac
fi
done
then ls
do ls
;
;;
&&
ls &&
ls |
| ls
&& ls
ls ;; ls
ls ; ; ls
ls || && ls
!
ls <
ls >
ls 2>
cat <<E
cat <<
coproc
select
[[ x
[[ x ]
[ x
[ x ]x
[ x ] ]
[[ x ]]x
(( 1
(( 1 )
echo $((1
echo $((1)
echo $((1+)
echo @(a|b)
echo +(a)
echo ?(a)
echo !(a)
ls @(a|b)
[[ x == @(a|b) ]]
case x in @(a|b)) ls;; esac
echo $"x"
echo $[1+1]
echo $[1]
echo ${x[}
echo ${
echo ${}
echo ${x y}
echo `echo \`ls\``
echo `ls \\`
echo "`ls \"x\"`"
echo =(ls)
echo =ls
echo ${(e)x}
echo ${x:h}
echo $x[1]
echo "$x[1]"
echo {a,b
echo {a,{b,c}
echo {1..99999}
echo {a..b..2}
echo {$x..3}
echo "$$(evil)"
echo $$(evil)
echo "$$(ls ")"
echo "$${x}"
echo "$$$(evil)"
x=a x1=/etc/passwd; cat $x{1,2}
cat {$x,b}y
cat {a,$}HOME
cat {$,a}x
cat {a,b$x}y
cat {$x}y
echo ${x^^[$(evil)]}
noglob ls
nocorrect ls
repeat 3 ls
foreach x (a b) ls; end
ls a(b)
ls a()
ls () { evil; }
ls(){ evil;}
ls x)evil(
echo a;;evil
echo x#$(evil)
echo a\
evil
case x in x) ls ;& y) ls;; esac
case x in x) ls ;;& y) ls;; esac
for ((;;)) { evil; }
for x in a; { evil; }
for x { ls; }
if (ls) evil; then ls; fi
time
command
nohup
env -u X ls
sudo ls
doas ls
watch ls
setsid ls
"""  # fmt: skip

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

DANGERS = [*filter(None, (HIDDEN + SETTING + OTHER).split("\n")), *LINES]


@pytest.mark.parametrize("command", DANGERS)
def test_what_is_not_surely_harmless_is_never_taken_to_only_read(command: str) -> None:
    assert not only_reads(command)


def test_each_doubt_has_an_id_and_a_reason() -> None:
    doubts = [doubt for command in DANGERS for doubt in judged(command).doubts]
    assert all(check and reason for check, reason in doubts)
    assert len({check for check, _reason in doubts}) > 20
