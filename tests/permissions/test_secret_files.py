"""Files that are there to hold secrets are read with the user's leave: by tools, by commands, and under other names."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui_agent.permissions.decide import decide
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.path_context import PathContext, SandboxTerms
from tui_agent.permissions.rules import RuleSet
from tui_agent.permissions.secret_files import is_secret_file
from tui_agent.permissions.verdict import ToolCall, Verdict


@pytest.fixture
def work(tmp_path: Path) -> Path:
    for name in (
        ".env",
        ".env.local",
        ".env.example",
        "id_rsa",
        "deploy/server.key",
        "a.py",
        "cert.pem",
        ".kube/config",
    ):
        file = tmp_path / "w" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x\n")
    (tmp_path / "w" / "notes.txt").symlink_to(".env")
    return tmp_path / "w"


def judged(
    work: Path, what: str, mode: Mode = "default", *, allow: tuple[str, ...] = (), sandbox: SandboxTerms | None = None
) -> Verdict:
    where = PathContext(
        cwd=str(work), project_root=str(work), home=str(work.parent / "h"), sandbox=sandbox or SandboxTerms()
    )
    if what.startswith("Read "):
        path = str(work / what[5:])
        call = ToolCall(tool="Read", input={"file_path": path}, is_read_only=True, reads=(path,))
    else:
        call = ToolCall(tool="Bash", input={"command": what}, command=what)
    return decide(call, rules=RuleSet.from_lists(allow=allow), mode=mode, where=where)


@pytest.mark.parametrize(
    "what",
    [
        "Read .env", "Read .env.local", "Read notes.txt", "Read deploy/server.key", "Read id_rsa", "Read .kube/config",
        "cat .env", "cat ./.env", "head -n1 .env.local", "grep KEY .env", "cat .env*", "cat .e*", "cat *",
        "cat a.py .env", "cat notes.txt",
        "cat < .env", "ls; (cat .env)", "base64 id_rsa", "sort deploy/*.key", "cd deploy && cat server.key",
        "cat {a.py,.env}",
        "F=.env; cat $F", "echo $(cat .env)", "for f in .env; do cat $f; done", "git diff --no-index a.py .env",
        "ls -l && cat .env",
    ],
)  # fmt: skip
def test_to_show_one_asks(work: Path, what: str) -> None:
    assert judged(work, what).behavior == "ask"
    assert judged(work, what, "dontAsk").behavior == "deny"
    assert judged(work, what, "bypassPermissions").behavior == "allow"


def test_the_reason_and_the_rule_on_offer_name_the_file(work: Path) -> None:
    for what in ("Read .env", "cat .env"):
        verdict = judged(work, what)
        assert verdict.reason == "it reads `.env`, which may hold secrets"
        assert verdict.suggestions[0] == "Read(./.env)"
        assert judged(work, what, allow=verdict.suggestions[:1]).behavior == "allow"
        assert judged(work, what.replace(".env", "id_rsa"), allow=verdict.suggestions[:1]).behavior == "ask"


@pytest.mark.parametrize(
    ("what", "rule"),
    [
        ("cat .env", "Bash(cat .env)"), ("cat .env", "Read(.env)"), ("Read .env", "Read(.env)"), ("Read .env", "Read"),
        ("head -n1 .env.local", "Read(.env.*)"), ("cat .env", "Bash(cat *)"), ("cat .env", "Bash"),
        ("cat < .env", "Read(.env)"),
    ],
)  # fmt: skip
def test_a_rule_lets_it_through(work: Path, what: str, rule: str) -> None:
    assert judged(work, what, allow=(rule,)).behavior == "allow"


@pytest.mark.parametrize(
    "what",
    [
        "Read .env.example", "Read cert.pem", "Read a.py", "cat .env.example", "ls -la .env", "[ -f .env ] && echo there",
        "test -e .env", "stat .env", "wc -l .env", "file id_rsa", "grep -r KEY .", "rg KEY", "cat cert.pem a.py",
        "git status .env",
        "ls deploy/*.key", "find . -name .env", "git check-ignore .env", "git log --oneline", "cat *.py",
    ],
)  # fmt: skip
def test_what_shows_none_asks_nothing(work: Path, what: str) -> None:
    assert judged(work, what).behavior == "allow"


def test_the_sandbox_is_no_leave(work: Path) -> None:
    terms = SandboxTerms(is_enabled=True)
    assert judged(work, "npm test", sandbox=terms).behavior == "allow"
    assert judged(work, "cat .env", sandbox=terms).behavior == "ask"
    assert judged(work, "npm test; cat .env", sandbox=terms).behavior == "ask"
    assert judged(work, "cat .env", sandbox=terms, allow=("Read(.env)",)).behavior == "allow"


def test_a_copy_under_another_name_asks(work: Path) -> None:
    assert judged(work, "cp .env x.txt", "acceptEdits").behavior == "ask"
    assert judged(work, "cp .env.example .env", "acceptEdits").behavior == "allow"


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [
        (".env", True), (".ENV", True), (".env.production", True), ("prod.env", True), (".env.sample", False),
        (".env.template", False), (".env.dist", False), (".env.local.example", False), ("env.d.ts", False),
        ("env.py", False), ("example.env", False), (".envrc", False),
        ("env", False), ("environment.ts", False), ("id_ed25519", True), ("id_ed25519.pub", False), ("tls.key", True),
        ("public.key", False), ("key.pem", True), ("privkey.pem", True), ("server-key.pem", True), ("cert.pem", False),
        ("fullchain.pem", False), ("ca.crt", False), (".netrc", True), (".pgpass", True), (".npmrc", False),
        ("credentials.json", True), ("vault.kdbx", True), ("service-account.json", True),
        ("service_account_prod.json", True),
        (".docker/config.json", True), ("src/config.json", False), ("kubeconfig", True), (".aws/credentials", True),
        ("monkey.pem", False), ("keys.py", False), ("i18n/en.json", False), ("turnkey.md", False),
    ],
)  # fmt: skip
def test_which_files_they_are(name: str, is_secret: bool) -> None:
    assert is_secret_file(f"/w/{name}") is is_secret
