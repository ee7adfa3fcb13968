# ruff: noqa: E501 - commands stand whole, many on a line
"""What is read beside the files that a command names: behind links, below folders, in old versions that git keeps.

Each command that a decision lets through is run for real, without a sandbox, and prints none of the marks that stand in files
outside of the work or under a rule that denies them.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tui_agent.git_index import repository_top, tracked_names
from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.decide import decide
from tui_agent.permissions.path_context import PathContext, SandboxTerms
from tui_agent.permissions.rules import RuleSet

OUTSIDE, DENIED = "MARK-OUTSIDE", "MARK-DENIED"
UNHELD = SandboxTerms(is_there=False, read_only_without=True)
DENY = ("Read(.env)", "Read(**/*.pem)", "Read(secrets/**)", "Read(~/.ssh/**)", "Read(//etc/shadow)")
GIT = ("git", "-c", "user.name=n", "-c", "user.email=e@x", "-c", "init.defaultBranch=main")

# Follow links that are committed, or take one name for several.
LINKED = (
    "grep -R MARK .", "grep -R MARK docs", "grep --dereference-recursive MARK .", "grep -rR MARK docs", "rg -L MARK", "rg --follow MARK docs",
    "find . -name '*.md' | xargs cat", "find docs | xargs cat", "find . -type l | xargs cat", "find . -type l -print0 | xargs -0 cat",
    "git ls-files | xargs cat", "git ls-files -z | xargs -0 cat", "git ls-files | xargs -n1 head -1", "git ls-files docs | xargs tail",
    "cat $(git ls-files)", "cat $(find docs -name '*.md')", "head -1 $(find . -type l)", "cat `git ls-files docs`", "grep MARK $(git ls-files)",
    "for f in $(git ls-files); do cat $f; done", "for f in $(find . -name '*.md'); do cat \"$f\"; done",
    "find . -type l | while read -r f; do cat \"$f\"; done", "while read -r f; do cat \"$f\"; done < <(git ls-files)",
    "shopt -s globstar; cat **/*.md", "shopt -s globstar; for f in **; do cat \"$f\"; done", "cat docs/*/*.md", "cat docs/deep/*", "cat */*/*.md",
    "diff -r docs plain", "diff docs/deep plain", "diff -rN docs/deep plain", "git grep -l x | xargs cat", "rg --files | xargs cat",
    "rg --files docs | xargs -I{} cat {}", "find . -type l | sort | head -3 | xargs cat", "find . -type f | xargs cat", "cat $(find . -type f)",
    "find . -type l | xargs grep -h MARK", "sed -n 1p $(git ls-files)", "awk 1 $(git ls-files docs)", "sort $(git ls-files docs)",
    "cat docs/deep/far.md", "cat docs/folder/key.md", "cat docs/folder/*", "grep -r MARK docs/folder/", "ls -L docs/folder/..", "cd docs/folder && cat *",
    "git config -f includes.cfg --includes -l", "sha256sum -c sums && cat plain/a.md", "find -L . -name key.md | xargs cat",
)  # fmt: skip
# Read on without leaving the work.
INSIDE = (
    "grep -r foo plain", "grep -R foo plain", "rg -L foo plain", "cat plain/*.md", "cat $(find plain -type f)",
    "git ls-files plain", "git log -p", "git show", "find . -type l", "ls -R", "for f in plain/*; do cat \"$f\"; done", "diff -r plain plain",
)  # fmt: skip
# Show what a rule denies, now or in an old version.
HISTORY = (
    "git show HEAD:.env", "git show HEAD~1:.env", "git show HEAD:sub/.env", "git show :.env", "git show :0:.env", "git show HEAD:./.env",
    "cd sub && git show HEAD:.env", "cd sub && git show HEAD:./.env", "cd sub && git show :/.env", "git -C sub show HEAD:./.env", "git -C sub show :./.env",
    "git show HEAD:secrets/key", "cd sub && git show HEAD:secrets/key", "git -C sub show HEAD:secrets/key", "git -C secrets show HEAD:./key",
    "git show main:sub/tls.pem", "git show HEAD^{tree}:.env", "git show 'HEAD^{/first}:.env'", "git show $(git rev-parse HEAD):.env",
    "git show $(git rev-parse HEAD:.env)", "git cat-file -p HEAD:.env", "git cat-file blob HEAD:.env", "git cat-file -p $(git rev-parse HEAD:.env)",
    "git rev-parse HEAD:.env | git cat-file --batch", "echo HEAD:.env | git cat-file --batch", "git cat-file --batch-all-objects --batch",
    "git ls-files -s .env | cut -d' ' -f2 | xargs git cat-file -p", "git rev-list --objects HEAD | cut -d' ' -f1 | git cat-file --batch",
    "git log -p", "git log -p -1", "git log -u", "git log --patch --all", "git log -p -- .env", "git log -p -- '.e*'", "git log -p -- ':(icase).ENV'",
    "git log -p -- ':(top).env'", "git log -p -- :/.env", "git log -p -- sub", "git log -p -- '*.pem'", "git log -p -- secrets", "git log -p -- gone",
    "git log -p -- . ':!sub'", "git log -p -- . ':!.env'", "git log -L1,1:.env", "git log -L 1,1:.env", "git log '-L/./,+1:.env'", "git log -L1,1:sub/tls.pem",
    "git log -U1", "git log -W", "git log -c -p", "git log --cc -p", "git log --word-diff", "git log --color-words", "git log --binary", "git log --patch-with-stat",
    "git log --stat -p", "git log --name-only -U0", "git log --oneline --full-diff -p plain/a.md", "git log --format= -p", "git whatchanged -p", "git reflog -p",
    "git show", "git show HEAD", "git show HEAD~1", "git show --stat -p", "git show HEAD -- .env", "git show HEAD --", "git show main", "git show @{0}",
    "git show $(git rev-list -1 HEAD)", "git show v1", "git show --format=%H", "git diff HEAD~1", "git diff HEAD~1 HEAD", "git diff HEAD~1..HEAD",
    "git diff HEAD~1 -- .env", "git diff HEAD:.env HEAD:plain/a.md", "git diff HEAD:.env plain/a.md", "git diff HEAD~1:.env HEAD:.env", "git diff", "git diff .env",
    "git diff sub", "git diff --cached HEAD~1", "git diff --staged HEAD~1", "git diff --no-index plain/a.md .env", "git diff --no-index plain .", "git diff -p HEAD~1",
    "git diff $(git rev-parse HEAD~1)", "git diff-tree -p HEAD~1 HEAD", "git diff-tree -p --root HEAD", "git diff-index -p HEAD~1", "git diff-files -p",
    "git blame .env", "git blame HEAD -- .env", "git blame HEAD .env", "git blame -s sub/tls.pem", "git annotate .env", "cd sub && git blame tls.pem",
    "git config --blob=HEAD:.env -l", "git config --blob HEAD:.env --list", "git config --blob=:.env -l", "git config --blob=main:.env --get a.b",
    "git config -f .env -l", "git grep MARK", "git grep MARK HEAD", "git grep MARK HEAD~1", "git grep -h MARK HEAD -- .env", "git grep MARK -- .env", "git grep -e MARK HEAD sub",
    "git grep --cached MARK", "git grep --no-index MARK", "git grep --untracked MARK", "git stash show -p", "git stash list -p", "git stash show -p stash@{0}",
    "git format-patch --root --stdout", "git format-patch -1 --stdout", "git archive HEAD | tar xO", "git archive HEAD .env | tar xO", "git archive HEAD:secrets | tar xO",
    "git fast-export --all", "git bundle create - --all | strings", "git range-diff HEAD~1 HEAD~1 HEAD", "git log -p --reverse", "git show --pretty=fuller",
    "git fsck --lost-found; cat .git/lost-found/other/*", "git status -v", "git status -vv", "git commit --dry-run -v", "git merge-file -p .env plain/a.md plain/a.md",
    "git unpack-file HEAD:.env | xargs cat", "git checkout-index --temp .env | cut -f1 | xargs cat", "git difftool --no-prompt -x cat HEAD~1", "git request-pull -p HEAD~1 .",
    "git last-patch", "git -c alias.x='show HEAD:.env' x", "git --git-dir=.git show HEAD:.env", "git --git-dir .git log -p", "git --work-tree=. show HEAD:.env",
    "timeout 5 git log -p", "bash -c 'git log -p'", "env git show HEAD:.env", "xargs git show < names", "git log -p | head -50", "cat .git/ORIG_HEAD; git log -p",
    "(printf '\\037\\213\\b\\0\\0\\0\\0\\0'; cat .git/objects/*/*) | gzip -dc", "git mv .env notes && cat notes", "git add -p < yes", "git -p show HEAD:.env",
    "git show --stat HEAD:.env", "git show -s HEAD:.env", "cd sub && git show -s HEAD:.env", "git show -s $(git rev-parse HEAD:.env)",
    "git show --name-only $(git ls-files -s .env | cut -d' ' -f2)", "git commit -qF .env --allow-empty; git log -1", "git tag -aF .env t; git tag -n9",
    "git interpret-trailers .env", "git commit -q --file=sub/tls.pem --allow-empty; git show -s", "git notes add -F .env; git log -1",
    "git show HEAD:secrets", "git show ':(top)secrets/key'", "git log --remerge-diff -p", "git log -m -p", "git log --diff-merges=on -p", "git show --dd", "git log -p --follow .env",
    "git for-each-ref --format='%(raw)'", "git for-each-ref --format '%(raw)' refs/tags", "git for-each-ref --python --format='%(raw)'", "git tag -l --format='%(raw)'",
    "git tag --format='%(raw)' --points-at HEAD:.env", "git tag --form='%(raw)'", "git for-each-ref --format='%(if)%(raw)%(then)%(raw)%(end)'", "f=raw; git tag --format=\"%($f)\"",
    "git for-each-ref \"--format=$(printf %s '%(raw)')\"", "git merge-file -p --object-id HEAD:.env HEAD:plain/a.md HEAD:plain/a.md", "git log -p --follow plain/was",
    "git branch --format='%(raw)' --all", "git for-each-ref $(printf %s --format='%(raw)')",
)  # fmt: skip
# Read files below a folder, of which a rule denies some.
BELOW = (
    "grep -r MARK", "grep -r MARK .", "grep -rn MARK sub", "grep -R MARK sub", "grep -d recurse MARK .", "grep --directories=recurse MARK sub", "egrep -r MARK .",
    "grep -rh MARK --include=.env .", "grep -r MARK secrets/", "grep -r MARK secret*", "grep -r '' sub", "rg MARK --hidden", "rg -uu MARK", "rg -uuu MARK sub", "rg MARK sub",
    "rg --files --hidden | xargs cat", "find . -type f | xargs cat", "find . -name '*.pem' | xargs cat", "find . -type f -print0 | xargs -0 grep -h MARK", "find sub | xargs head",
    "find . -type f -exec cat {} +", "find . -type f -exec cat {} ';'", "find . -name '.e*' -exec cat {} +", "find . -execdir cat {} +", "find sub -exec grep MARK {} +",
    "cat $(find . -name '.env')", "cat $(ls -A)", "cat `find sub -type f`", "for f in $(find . -type f); do cat $f; done", "for f in sub/.*; do cat \"$f\"; done",
    "cat .e*", "cat .??*", "cat sub/*", "cat */*.pem", "head -1 sub/.e*", "shopt -s dotglob; cat *", "shopt -s globstar dotglob; cat **/*", "shopt -s nocaseglob; cat .EN*",
    "for f in .e*; do cat < \"$f\"; done", "cat < .e*", "for f in sub/.env; do cat < $f; done", "for f in plain/* sub/*; do cat < \"$f\"; done",
    "cat {.env,plain/a.md}", "cat < .env", "cat plain/../.env", "cat ./sub/../.env", "cat $PWD/.env", "F=.env; cat $F", "cp .env notes; cat notes", "cp -r sub copy; cat copy/tls.p*m",
    "cp -r . ../all", "tar cf - . | tar xO", "tar cf - sub | tar xOf -", "tar c sub/tls.pem | tar xO", "zip -qr - . | funzip", "zip -q - .env | funzip", "cp sub/tls.pem x; cat x",
    "diff -r sub plain", "diff -rN sub /dev/null", "diff .env /dev/null", "git ls-files | xargs cat", "git ls-files -z | xargs -0 cat", "git ls-files | grep pem | xargs cat",
    "ls -A | xargs cat", "printf '%s\\n' .env | xargs cat", "echo .env | xargs cat", "cat names | xargs cat", "xargs cat < names", "xargs -a names cat", "rg --pre cat MARK",
    "while read -r f; do cat \"$f\"; done < names", "sed -n p .env", "awk 1 sub/.env", "sort sub/tls.pem", "jq -R . .env", "base64 -d <(base64 .env)", "paste .env", "od -c sub/.env | tr -d ' '",
    "python3 - < .env; cat .env", "dd if=.env", "tail -n +1 sub/.env sub/tls.pem", "strings secrets/key", "nl secrets/key", "rev sub/.env | rev", "install sub/.env x && cat x",
    "ln sub/.env y; cat y", "ln -s sub z && cat z/tls.pem", "mv .env m; cat m", "mv sub moved; cat moved/tls.p?m", "rsync -a sub/ r/", "cat secrets/*", "cd secrets && cat *", "cd sub; cat .env",
)  # fmt: skip
# Pass where these rules are: names, numbers, files that are named and fine, patterns that leave out what is denied.
FINE = (
    "git status", "git log", "git log --oneline -5", "git log --stat", "git log --name-only", "git log --name-status -3", "git log --graph --oneline --all", "git show --stat",
    "git show --name-only HEAD", "git show -s", "git show -s --format=%B HEAD", "git show --stat main", "git show --name-only HEAD~1", "git commit -F names", "git show --no-patch HEAD", "git diff --stat HEAD~1", "git diff --name-only HEAD~1", "git diff --numstat HEAD~1",
    "git diff --shortstat", "git log -p -- plain/a.md", "git log -p plain/a.md", "git diff HEAD~1 -- plain/a.md", "git diff plain/a.md", "git show HEAD:plain/a.md", "git show HEAD -- plain/a.md",
    "git blame plain/a.md", "git log -L1,1:plain/a.md", "git ls-files", "git ls-tree -r HEAD", "git branch -a", "git stash list", "git stash show", "git reflog", "git rev-list --count HEAD",
    "git log -p -- . ':(top,exclude,glob)**/.env' ':(top,exclude,glob)**/*.pem' ':(top,exclude,glob)**/secrets/**'", "git cat-file -t HEAD:plain/a.md", "git cat-file -p HEAD",
    "git show HEAD -- . ':(exclude,glob)**/.env' ':!*.pem' ':(exclude,glob)**/secrets/**'", "git grep foo -- plain/a.md", "git config -l", "git config user.name", "git tag", "git remote -v",
    "git for-each-ref --format='%(refname:short) %(raw:size)'", "git tag -l --sort=-v:refname 'v1*'", "git tag -l --format='%(contents:subject)'", "git branch --sort=-committerdate",
    "git add plain", "git commit -m x", "git push", "git pull", "git fetch", "git checkout -b x", "git merge x", "git rebase main", "git stash", "git worktree list", "git describe --always",
    "grep foo plain/a.md", "grep -r foo plain", "grep -rn foo plain | head", "rg foo plain", "find . -name '*.md'", "find plain -type f | wc -l", "cat plain/a.md", "cat plain/*", "ls -la", "ls -R",
    "diff -r plain plain", "wc -l plain/*.md", "cp plain/a.md plain/b.md", "cp -r plain other", "tar cf p.tar plain", "find plain -name '*.md' -exec grep foo {} +",
)  # fmt: skip

# These change something, and run in a copy of the repository of their own.
WRITES = re.compile(
    r"\b(?:cp|mv|ln|install|rsync|zip|tar c|fsck|mv|add|commit|push|pull|fetch|checkout|checkout-index|merge|rebase|stash(?! [ls])|unpack-file|dd"
    r"|difftool|merge-file)\b|git stash$|git mv|format-patch|>"
)


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> PathContext:
    """Return a repository with links that lead out, with files to deny, and with old versions of them."""
    root = Path(os.path.realpath(tmp_path_factory.mktemp("beside")))
    work, out, home = root / "w", root / "out", root / "home"
    for folder in (work / "docs/deep", work / "plain", work / "sub", work / "secrets", out, home):
        folder.mkdir(parents=True)
    (out / "key.md").write_text(f"{OUTSIDE}\n")
    (out / "settings.cfg").write_text(f"[a]\n b = {OUTSIDE}\n")
    (work / "includes.cfg").write_text(f"[include]\n path = {out}/settings.cfg\n")
    (work / "docs/deep/far.md").symlink_to(out / "key.md")
    (work / "docs/folder").symlink_to(out)
    (work / "docs/near.md").symlink_to("../plain/a.md")
    blank = work / f"docs/x {out}"
    blank.mkdir(parents=True)
    (blank / "key.md").write_text("x\n")
    (work / "plain/a.md").write_text("foo\n")
    (work / "names").write_text(".env\nsub/tls.pem\n")
    (work / "yes").write_text("y\nn\nq\n")
    (work / "sums").write_text(f"0 *{out}/key.md\n")
    run = lambda *words: subprocess.run([*GIT, *words], cwd=work, check=True, capture_output=True)  # noqa: E731
    run("init", "-q")
    for version in ("first", "second"):
        for name in (".env", "sub/.env", "sub/tls.pem", "secrets/key"):
            (work / name).write_text(f"[a]\nb={DENIED}-{version}\n")
        (work / "plain/a.md").write_text(f"foo\n{version}\n")
        if version == "first":
            (work / "gone").mkdir()
            (work / "gone/old.pem").write_text(f"{DENIED}\n")
            (work / "secrets/was").write_text("a line\nmore\nand more\nthe rest\n" + f"{DENIED}\n")
        else:
            (work / "secrets/was").rename(work / "plain/was")
            (work / "plain/was").write_text("a line\nmore\nand more\nthe rest\n")
        run("add", "-A")
        run("commit", "-qm", version)
        if version == "first":
            run("rm", "-rq", "gone")
    run("tag", "v1")
    run("tag", "blob", "HEAD:.env")
    (work / ".env").write_text(f"{DENIED}-stashed\n")
    run("stash", "-q")
    (work / ".env").write_text(f"[a]\nb={DENIED}-third\n")
    return PathContext(cwd=str(work), project_root=str(work), home=str(home), sandbox=UNHELD)


def judged(command: str, where: PathContext, rules: RuleSet) -> tuple[str, str]:
    verdict = decide(call_from_input("Bash", {"command": command}, where), rules=rules, mode="default", where=where)
    return verdict.behavior, verdict.reason


@pytest.fixture(scope="module")
def printed(places: PathContext, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Iterable[str]], dict[str, str]]:
    """Return a function that runs commands, each in a copy of the repository, and returns what they print, in few processes."""
    copies = tmp_path_factory.mktemp("copies")
    pristine = copies / "pristine"  # which no command has in its hands while it is copied
    subprocess.run(["cp", "-a", places.cwd, pristine], check=True)

    def run(commands: Iterable[str]) -> dict[str, str]:
        listed = list(commands)
        shared, own = f"cd {places.cwd}", f"cp -a {pristine} $at && cd $at"
        lines = [
            f"(at={copies}/{at}; {own if WRITES.search(command) else shared} && timeout -k 1 10 bash --noprofile --norc -c"
            f" {shlex.quote(command)} < /dev/null > $at.out 2>&1) &" + (" wait" if at % 8 == 7 else "")
            for at, command in enumerate(listed)
        ]
        quiet = {
            "PAGER": "cat",
            "GIT_PAGER": "cat",
            "GIT_EDITOR": "true",
            "HOME": places.home,
            "PATH": os.environ["PATH"],
        }
        subprocess.run(
            ["bash", "-c", "\n".join([*lines, "wait"])], env=quiet, check=False, timeout=120, stderr=subprocess.DEVNULL
        )
        return {command: (copies / f"{at}.out").read_text(errors="replace") for at, command in enumerate(listed)}

    return run


def test_nothing_outside_is_printed_by_what_is_let_through(
    places: PathContext, printed: Callable[[Iterable[str]], dict[str, str]]
) -> None:
    rules = RuleSet.from_lists()
    outputs = printed([*LINKED, *INSIDE])
    shown = [command for command, output in outputs.items() if OUTSIDE in output]
    assert len(shown) > len(LINKED) // 2, "too few of them would do harm for this to say anything"
    passed = [command for command in shown if judged(command, places, rules)[0] == "allow"]
    assert not passed, "\n".join(passed)
    refused = [(command, *judged(command, places, rules)) for command in INSIDE]
    asking = [f"{command}: {reason}" for command, behavior, reason in refused if behavior != "allow"]
    assert not asking, "\n".join(asking)


def test_nothing_denied_is_printed_by_what_is_let_through(
    places: PathContext, printed: Callable[[Iterable[str]], dict[str, str]]
) -> None:
    rules = RuleSet.from_lists(allow=["Bash"], deny=DENY)
    outputs = printed([*HISTORY, *BELOW, *FINE])
    shown = [command for command, output in outputs.items() if DENIED in output]
    assert len(shown) > (len(HISTORY) + len(BELOW)) // 2, "too few of them would do harm for this to say anything"
    passed = [command for command in shown if judged(command, places, rules)[0] == "allow"]
    assert not passed, "\n".join(passed)
    refused = [(command, *judged(command, places, rules)) for command in FINE]
    asking = [f"{command}: {reason}" for command, behavior, reason in refused if behavior != "allow"]
    assert not asking, "\n".join(asking)


def test_history_is_free_where_no_rule_is_about_this_repository(places: PathContext) -> None:
    rules = RuleSet.from_lists(deny=["Read(~/.ssh/**)", "Read(//etc/shadow)"])
    for command in (
        "git log -p",
        "git show",
        "git diff HEAD~1",
        "git stash show -p",
        "git grep x HEAD",
        "git diff --cached",
    ):
        assert judged(command, places, rules) == judged(command, places, RuleSet()), command
        assert judged(command, places, rules)[0] == "allow", command


def test_the_present_state_is_free_where_no_tracked_file_is_denied(places: PathContext) -> None:
    rules = RuleSet.from_lists(deny=["Read(*.key)"])
    for command in ("git diff", "git diff plain", "git diff plain/a.md sub", "git grep foo", "git grep -n foo plain"):
        assert judged(command, places, rules)[0] == "allow", command
    for command in ("git diff HEAD", "git diff --cached", "git grep foo HEAD", "git diff main"):
        assert judged(command, places, rules)[0] == "ask", command


def test_the_index_is_not_relied_on_once_something_may_have_changed_it(places: PathContext) -> None:
    rules = RuleSet.from_lists(allow=["Bash(git add *)", "Bash(npm *)"], deny=["Read(*.key)"])
    for command in (
        "git add -N x.key; git diff", "npm test && git diff", "git add -N x.key | { sleep 1; git diff; }", "{ sleep 1; git diff; } | git add -N x.key",
        "for i in 1 2; do git diff; git add -N x.key; done", "true <(sleep 1; git diff >&2); git add -N x.key", "git add -N x.key; git grep foo",
    ):  # fmt: skip
        assert judged(command, places, rules)[0] == "ask", command
    for command in (
        "git diff; git add plain",
        "ls; git diff | head",
        "git status && git diff",
        "git add plain && git diff --stat",
    ):
        assert judged(command, places, rules)[0] == "allow", command


def test_a_rule_that_asks_is_heeded_below_folders_too(places: PathContext) -> None:
    rules = RuleSet.from_lists(allow=["Bash"], ask=["Read(*.pem)"])
    for command in (
        "grep -r MARK .",
        "cat $(git ls-files)",
        "find sub -type f -exec cat {} +",
        "cp -r sub copy",
        "cat sub/*",
    ):
        assert judged(command, places, rules)[0] == "ask", command
    for command in ("grep -r foo plain", "cat plain/*", "cp -r plain copy", "find . -name '*.pem'"):
        assert judged(command, places, rules)[0] == "allow", command


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_the_index_is_read_as_git_reads_it(tmp_path: Path, version: str) -> None:
    for name in ("a", "dir/b", "dir/ä c", "dir/deep/" + "n" * 200, "z"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    for words in (["init", "-q"], ["add", "-A"], ["add", "-N", "z"], ["update-index", "--index-version", version]):
        subprocess.run([*GIT, *words], cwd=tmp_path, check=True)
    listed = subprocess.run([*GIT, "ls-files", "-z"], cwd=tmp_path, check=True, capture_output=True).stdout
    assert tracked_names(repository_top(str(tmp_path / "dir"))) == tuple(os.fsdecode(listed).split("\0")[:-1])


def test_an_index_that_is_not_whole_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    for words in (["init", "-q"], ["add", "-A"], ["update-index", "--split-index"]):
        subprocess.run([*GIT, *words], cwd=tmp_path, check=True)
    assert tracked_names(str(tmp_path)) is None
    (tmp_path / ".git/index").write_bytes(b"DIRC\0\0\0\2\0\0\0\5cut")
    assert tracked_names(str(tmp_path)) is None
    (tmp_path / ".git/index").unlink()
    assert tracked_names(str(tmp_path)) == ()
    (tmp_path / ".git/index").symlink_to("/dev/zero")
    assert tracked_names(str(tmp_path)) is None
