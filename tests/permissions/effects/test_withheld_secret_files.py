# ruff: noqa: E501 - commands stand whole, many on a line
"""Files that are there to hold secrets are shown to nobody who does not name them, and daily commands pass all the same."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from attack_room import ALL, AttackRoom

from tui_agent.execution.single_use import run_one
from tui_agent.permissions.secret_files import git_attributes, is_secret_file

SECRET, OLD = "secretwordbasilgrove", "oldwordlemonriver"
# These go through folders; only a sandbox keeps the files from them.
SEARCHES = (
    "grep -r word .", "grep -R word .", "grep -rn word sub", "rg -uu word", "find . -type f | xargs cat", "find . -type f -exec cat {} +",
    "diff -r . sub", "git ls-files | xargs cat", "git ls-files -z | xargs -0 cat", "for f in $(git ls-files); do cat $f; done",
    "cat $(git ls-files)", "git diff --no-index sub other", "shopt -s globstar dotglob; cat **/*", "head -3 $(find . -name 'id_*')",
    "grep -r word . ; git diff", "cat a.txt; grep -rh word .",
)  # fmt: skip
GIT = (
    "git diff", "git diff HEAD~1", "git log -p", "git log -p --all", "git show", "git show HEAD~1", "git grep word", "git grep word HEAD",
    "git diff --cached HEAD~1", "git stash show -p", "git log -p -- .env", "git show HEAD -- .", "git log -U9 -p", "git whatchanged -p",
    "git log -p -a", "git diff --text", "git diff --binary", "git show --binary HEAD", "git grep -a word", "git grep --text word",
    "git show {id}", "git cat-file -p {id}", "git cat-file blob {short}", "git diff {id} {other}", "git cat-file --batch <<< HEAD:.env",
    "git config --blob HEAD:.env -l", "git config --blob=HEAD:.env -l", "git config --blob={id} -l", "git show :.env", "git show HEAD:.env", "git show HEAD:./.env",
    "git show $(git rev-parse HEAD:.env)", "git cat-file -p HEAD:.env", "git log -L1,3:.env", "git blame .env", "git format-patch --stdout HEAD~1",
    "git archive HEAD | tar xO", "git cat-file --batch --batch-all-objects", "git diff-tree -p HEAD~1 HEAD", "git reflog -p",
    "git for-each-ref --format='%(raw)'", "git tag -l --format='%(raw)'",
)  # fmt: skip
HARMLESS = (
    "git diff", "git show", "git log -p", "git status", "git log --oneline", "git grep plain", "git show HEAD:a.txt", "git diff HEAD~1",
    "git diff --stat", "git log -p -- a.txt", "git show {commit}", "git diff {commit} HEAD", "git diff -- . ':!.env'", "ls -la", "ls -la | grep env",
    "find . -name .env", "test -f .env && echo there", "stat .env", "wc -c .env", "git ls-files", "git check-ignore .env; true", "git ls-files -s",
    "git rev-parse HEAD", "cat a.txt sub/b.txt", "git blame a.txt", "git log -S plain", "git show --stat", "git diff -w", "git stash list", "grep plain a.txt",
)  # fmt: skip
SEARCHES_PASS = (
    "grep -rn plain .",
    "grep -r TODO .; true",
    "rg plain",
    "find . -name '*.txt' | xargs cat",
    "git ls-files '*.txt' | xargs cat",
)


@pytest.fixture(params=ALL)
def room(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttackRoom:
    room = AttackRoom(tmp_path, monkeypatch, request.param)
    for name in (".env", "sub/id_rsa", "other/id_rsa", "sub/server.key", "a.txt", "sub/b.txt"):
        (room.work / name).parent.mkdir(exist_ok=True)
    for token in (OLD, SECRET):
        for name in (".env", "sub/id_rsa", "sub/server.key"):
            (room.work / name).write_text(f"[a]\nb={token}-{name}\n")
        (room.work / "a.txt").write_text(f"plain word {token == OLD}\n")
        (room.work / "sub/b.txt").write_text("plain\n")
        if token == OLD:
            room.git("init", "-q")
        room.git("add", "-A")
        room.git("commit", "-qm", token[:3])
    room.git("tag", "blob", "HEAD:.env")
    (room.work / "other/id_rsa").write_text("none\n")
    (room.work / ".env").write_text(f"[a]\nb=changed-{SECRET}\n")
    (room.work / "a.txt").write_text("plain word again\n")
    (room.work / "sub/again").hardlink_to(room.work / ".env")
    return room


@pytest.fixture
def numbers(room: AttackRoom) -> dict[str, str]:
    """What the names in braces stand for: git's numbers of things in the room's repository."""

    def run(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=room.work, check=True, capture_output=True, text=True).stdout.strip()

    number, other = run("rev-parse", "HEAD:.env", "HEAD:a.txt").split()
    return {"{id}": number, "{short}": number[:9], "{commit}": run("rev-parse", "--short", "HEAD~1"), "{other}": other}


def asked(text: str, numbers: dict[str, str]) -> str:
    return re.sub(r"\{(id|short|commit|other)\}", lambda found: numbers[found[0]], text)


async def test_no_command_shows_one_unnamed(room: AttackRoom, numbers: dict[str, str]) -> None:
    room.begin()
    commands = (*GIT, *(SEARCHES if room.name != "none" else ()))
    said = {command: await room.run(asked(command, numbers)) for command in commands}
    assert [command for command, text in said.items() if SECRET in text or OLD in text] == []


@pytest.mark.parametrize("room", ["bubblewrap"], indirect=True)
async def test_nor_by_the_name_that_it_had_in_an_earlier_commit(room: AttackRoom) -> None:
    (room.work / "plain.cfg").write_text(f"b={SECRET}\n")
    room.git("add", "plain.cfg")
    room.git("commit", "-qm", "one")
    room.git("mv", "plain.cfg", "sub/.env")
    room.git("commit", "-qm", "two")
    for deny in [], ["Read(.env)"]:
        room.begin(settings={"permissions": {"deny": deny}})
        for command in (
            "git show HEAD~1:plain.cfg", "git cat-file -p HEAD~1:plain.cfg", "git blame HEAD~1 -- plain.cfg", "git show HEAD~1:sub/../plain.cfg",
            "git diff HEAD~1:plain.cfg HEAD:a.txt", "git config --blob HEAD~1:plain.cfg -l",
        ):  # fmt: skip
            assert SECRET not in await room.run(command), command
        assert "plain" in await room.run("git show HEAD~2:a.txt")
    assert SECRET not in await room.run("git log -p -- plain.cfg")


@pytest.mark.parametrize("place", [".gitattributes", "sub/.gitattributes", ".git/info/attributes"])
async def test_the_repositorys_own_attributes_change_nothing(
    room: AttackRoom, numbers: dict[str, str], place: str
) -> None:
    for line in ("* diff", "[attr]m diff\n* m", ".env diff=x\nid_rsa !diff\n*.key\tdiff"):
        (room.work / place).write_text(f"{line}\n")
        room.begin()
        said = {command: await room.run(asked(command, numbers)) for command in GIT[:12]}
        assert [command for command, text in said.items() if SECRET in text or OLD in text] == []
    (room.work / place).write_text("*.lock -diff\n* text=auto\n")
    assert "plain word" in await room.run("git diff")


async def test_daily_commands_ask_nothing(room: AttackRoom, numbers: dict[str, str]) -> None:
    room.begin()
    said = {command: await room.run(asked(command, numbers)) for command in (*HARMLESS, *SEARCHES_PASS)}
    assert [command for command, text in said.items() if text == "asks"] == []
    assert "+plain word again" in said["git diff"]
    assert "there" in said["test -f .env && echo there"]
    assert "./.env" in said["find . -name .env"]
    assert "plain" in said["grep -rn plain ."]
    if room.name == "bubblewrap":  # which shows empty files in their place; Landlock can only forbid them
        assert "denied" not in said["grep -rn plain ."]
        assert await room.run("grep -rn plain . > /dev/null; echo $?") == "0"


async def test_grep_passes_them_over(room: AttackRoom) -> None:
    room.begin()
    for input in (
        {},
        {"path": "sub"},
        {"glob": ".env"},
        {"glob": "id_*"},
        {"output_mode": "count"},
        {"output_mode": "files_with_matches"},
    ):
        outcome, _, _ = await run_one(
            room.runtime.execution_context, "Grep", {"pattern": "word", "output_mode": "content", **input}
        )
        said = str(outcome.content)
        assert SECRET not in said
        assert ".env" not in said
        assert "id_rsa" not in said
    outcome, _, _ = await run_one(room.runtime.execution_context, "Grep", {"pattern": "word", "path": ".env"})
    assert outcome.is_error  # it is asked about


async def test_a_rule_shows_them(room: AttackRoom) -> None:
    room.begin("Read(.env)")
    outcome, _, _ = await run_one(
        room.runtime.execution_context, "Grep", {"pattern": "changed", "output_mode": "content"}
    )
    assert SECRET in str(outcome.content)
    if room.name != "none":
        assert SECRET in await room.run("grep -r changed .")


def test_git_knows_the_same_files(tmp_path: Path) -> None:
    names = [
        ".env", ".ENV", ".env.production", "prod.env", ".env.sample", ".env.template", ".env.dist", ".env.local.example", "env.d.ts", "env.py",
        "example.env", ".envrc", "env", "id_ed25519", "id_ed25519.pub", "id_ecdsa_sk", "tls.key", "public.key", "key.pem", "privkey.pem",
        "privkey12.pem", "server-key.pem", "my-private-key.pem", "cert.pem", ".netrc", ".npmrc", "credentials.json", "vault.kdbx",
        "service-account.json", "my_service_account_prod.json", "serviceaccount.json", "client_secret_1.json", ".docker/config.json",
        "src/config.json", "kubeconfig", ".aws/credentials", "monkey.pem", "keys.py", "turnkey.md", "deep/er/.env", "deep/er/Server.KEY", "x.env.sample",
    ]  # fmt: skip
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / "list").write_text(git_attributes())
    said = subprocess.run(
        ["git", "-c", f"core.attributesFile={tmp_path}/list", "check-attr", "diff", "--", *names],
        cwd=tmp_path, check=True, capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    found = {line.split(": diff: ")[0]: line.endswith("unset") for line in said}
    assert found == {name: is_secret_file(f"/w/{name}") for name in names}
