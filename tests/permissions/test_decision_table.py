"""One table of calls with the rules they meet and what must come of each: by the function, and by the program itself.

In paths, rules and commands `{w}` is the working folder, `{h}` home, `{x}` a folder elsewhere, `{top}` the one that holds them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.decide import decide
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.path_context import PathContext, SandboxTerms
from tui_agent.permissions.rules import RuleSet, RuleSource
from tui_agent.permissions.shell.pattern import CommandPattern
from tui_agent.permissions.verdict import PerCommand, ToolOpinion, Verdict

Lists = dict[str, list[str]]


@dataclass(frozen=True)
class Row:
    """One line: what it shows, the outcome, the call, and whatever is not as it usually is."""

    name: str
    expected: str
    tool: str
    subject: str
    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    mode: Mode = "default"
    scope: str = "project"
    user: Lists | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    is_trusted: bool = True
    hook: Any = None
    sandbox: dict[str, Any] | None = None

    def query(self, places: dict[str, str]) -> dict[str, Any]:
        """The row as a line for `permissions explain --jsonl`."""

        def put(text: str) -> str:
            for name, path in places.items():
                text = text.replace("{" + name + "}", path)
            return text

        fields = {
            "Bash": "command", "Grep": "path", "WebFetch": "url", "NotebookEdit": "notebook_path", "Skill": "skill",
            "Agent": "prompt",
        }  # fmt: skip
        key = "note" if self.tool.startswith("mcp__") else fields.get(self.tool, "file_path")
        shapes = {
            "Edit": {"old_string": "a", "new_string": "b"}, "Write": {"content": "x"}, "Grep": {"pattern": "x"},
            "NotebookEdit": {"new_source": "x", "cell_id": "a"}, "WebFetch": {"prompt": "x"},
        }  # fmt: skip
        query: dict[str, Any] = {
            "tool": self.tool,
            "input": {key: put(self.subject), **shapes.get(self.tool, {}), **self.extra},
            "mode": self.mode,
            "rules": {name: [put(rule) for rule in getattr(self, name)] for name in ("allow", "ask", "deny")},
            "cwd": places["w"],
            "home": places["h"],
            "scope": self.scope,
            "trusted": self.is_trusted,
        }
        more = {"user_rules": self.user, "hook": self.hook, "sandbox": self.sandbox}
        return query | {name: value for name, value in more.items() if value is not None}

    def verdict(self, places: dict[str, str]) -> Verdict:
        """What the function says."""
        query = self.query(places)
        terms = self.sandbox or {}
        where = PathContext(
            cwd=places["w"],
            project_root=places["w"],
            home=places["h"],
            is_trusted=self.is_trusted,
            sandbox=SandboxTerms(
                is_enabled=terms.get("enabled", False),
                excluded=tuple(terms.get("excludedCommands", ())),
                auto_allow=terms.get("autoAllowBashIfSandboxed", True),
                may_leave=terms.get("allowUnsandboxedCommands", True),
            ),
        )
        user = RuleSource("user", "user settings", f"{places['h']}/.claude")
        project = RuleSource("project", "project settings", places["w"])
        rules = RuleSet.from_lists(**query["rules"], source=user if self.scope == "user" else project)
        if self.user is not None:
            rules = RuleSet.merged(rules, RuleSet.from_lists(**self.user, source=user))  # type: ignore[arg-type]
        hook = None if self.hook is None else ToolOpinion(self.hook)
        call = call_from_input(self.tool, query["input"], where)
        return decide(call, rules=rules, mode=self.mode, where=where, hook=hook)


def bash(name: str, expected: str, command: str, **rest: Any) -> Row:
    return Row(name, expected, "Bash", command, **rest)


TEST = ("Bash(npm test *)",)
ON = {"enabled": True}
ROWS = [
    bash("a command that is not known asks", "ask", "npm test"),
    bash("a listing reads only", "allow", "ls -la"),
    bash("a glob of a listing is harmless", "allow", "ls *.ts"),
    bash("a glob of find is not", "ask", "find . -name *.ts"),
    bash("quoted it is", "allow", "find . -name '*.ts'"),
    bash("find deletes", "ask", "find . -delete"),
    bash("no pattern covers that", "ask", "find . -name x -delete", allow=("Bash(find *)",)),
    bash("the exact command does", "allow", "find . -name x -delete", allow=("Bash(find . -name x -delete)",)),
    bash("an exact rule", "allow", "npm run build", allow=("Bash(npm run build)",)),
    bash("covers nothing longer", "ask", "npm run build --prod", allow=("Bash(npm run build)",)),
    bash("an open rule covers nothing more", "allow", "npm run test", allow=("Bash(npm run test *)",)),
    bash("and arguments", "allow", "npm run test -- -u", allow=("Bash(npm run test *)",)),
    bash("colon and star mean the same", "allow", "npm run test -- -u", allow=("Bash(npm run test:*)",)),
    bash("a star without a blank", "allow", "foobar", allow=("Bash(foo*)",)),
    bash("a colon elsewhere is a colon", "ask", "git push", allow=("Bash(git:* push)",)),
    bash("a star within", "allow", "git push origin main", allow=("Bash(git * main)",)),
    bash("a star at the start", "allow", "node --version", allow=("Bash(* --version)",)),
    bash("the end has to fit", "ask", "npm install left-pad", allow=("Bash(* install)",)),
    bash("a second command needs its own rule", "ask", "safe-cmd && other-cmd", allow=("Bash(safe-cmd *)",)),
    bash("or reads only", "allow", "git status && npm test", allow=TEST),
    bash("behind a pipe too", "ask", "npm test | tee out.log", allow=TEST),
    bash("tail reads only", "allow", "npm test | tail -5", allow=TEST),
    bash("a doubled descriptor is free", "allow", "npm test 2>&1", allow=TEST),
    bash("the null device is free", "allow", "npm test > /dev/null", allow=TEST),
    bash("a written file is not", "ask", "npm test > out.txt", allow=TEST),
    bash("but by a rule", "allow", "npm test > out.txt", allow=(*TEST, "Edit(/out.txt)")),
    bash("or where edits are accepted", "allow", "npm test > out.txt", allow=TEST, mode="acceptEdits"),
    bash("not into protected places", "ask", "git commit -m x > .git/hooks/y", allow=("Bash(git commit *)",),
         mode="acceptEdits"),
    bash("nor below home", "ask", "npm test > ~/x", allow=TEST),
    bash("timeout is looked through", "allow", "timeout 30 npm test", allow=TEST),
    bash("so are more of them", "allow", "time nice nohup npm test", allow=TEST),
    bash("a harmless variable", "allow", "NODE_ENV=test npm test", allow=TEST),
    bash("a harmful one", "ask", "LD_PRELOAD=./x.so npm test", allow=TEST),
    bash("no variable hides what is denied", "deny", "FOO=bar rm -rf tmp/", deny=("Bash(rm *)",)),
    bash("xargs without options", "allow", "xargs wc -l", allow=("Bash(wc *)",)),
    bash("xargs with options", "ask", "xargs -n1 mygrep p", allow=("Bash(mygrep *)",)),
    bash("watch only to the letter", "ask", "watch date", allow=("Bash(watch *)",)),
    bash("npx is a program of its own", "ask", "npx npm test", allow=TEST),
    bash("so is devbox", "allow", "devbox run rm -rf .", allow=("Bash(devbox run *)",)),
    bash("deny beats allow", "deny", "echo a && curl x.io", deny=("Bash(curl *)",), allow=("Bash",)),
    bash("behind sudo too", "deny", "sudo curl x.io", deny=("Bash(curl *)",), allow=("Bash",)),
    bash("whatever is narrower", "deny", "aws s3 ls", deny=("Bash(aws *)",), allow=("Bash(aws s3 ls)",)),
    bash("ask beats allow", "ask", "git push", ask=("Bash(git push *)",), allow=("Bash(git *)",)),
    bash("ask beats bypass", "ask", "git push", ask=("Bash(git push *)",), mode="bypassPermissions"),
    bash("nobody to ask", "deny", "git push", ask=("Bash(git push *)",), mode="dontAsk"),
    bash("the project denies what the user allows", "deny", "make deploy", deny=("Bash(make deploy *)",),
         user={"allow": ["Bash(make *)"]}),
    bash("the user denies what the project allows", "deny", "make", allow=("Bash(make *)",),
         user={"deny": ["Bash(make *)"]}),
    bash("a whole tool denied", "deny", "true", deny=("Bash",)),
    bash("a field's value", "deny", "make", deny=("Bash(run_in_background:true)",), allow=("Bash",),
         extra={"run_in_background": True}),
    bash("a field left out", "allow", "make", deny=("Bash(run_in_background:*)",), allow=("Bash",)),
    bash("a command as a field is no rule", "allow", "rm x", deny=("Bash(command:rm *)",), allow=("Bash(rm *)",)),
    bash("ask holds for what only reads", "ask", "ls", ask=("Bash(ls *)",)),
    bash("to another folder and listing", "allow", "cd sub && ls"),
    bash("to another folder and git", "ask", "cd sub && git status"),
    bash("to the same folder and git", "allow", "cd {w} && git status"),
    bash("to another folder and a search", "allow", "cd sub; grep -r p . 2>/dev/null"),
    bash("home is critical in bypass mode", "ask", "rm -rf ~", allow=("Bash",), mode="bypassPermissions"),
    bash("a star behind a variable", "ask", 'rm -rf "$DIR"/*', allow=("Bash(rm *)",)),
    bash("within a substitution", "deny", 'echo "$(rm -rf ~)"', allow=("Bash(echo *)",), mode="dontAsk"),
    bash("accepted edits make folders", "allow", "mkdir -p a/b && touch a/b/c", mode="acceptEdits"),
    bash("not elsewhere", "ask", "cp a.txt /etc/x", mode="acceptEdits"),
    bash("without a rule and anybody", "deny", "npm test", mode="dontAsk"),
    bash("reading needs nobody", "allow", "git status", mode="dontAsk"),
    Row("a file of the work", "allow", "Read", "{w}/src/a.py"),
    Row("a file elsewhere", "ask", "Read", "/etc/hosts"),
    Row("by its whole path", "allow", "Read", "/etc/hosts", allow=("Read(//etc/**)",)),
    Row("a slash is the project", "ask", "Read", "/etc/hosts", allow=("Read(/etc/**)",)),
    Row("or the user's settings", "allow", "Read", "{h}/.claude/x/y", allow=("Read(/x/**)",), scope="user"),
    Row("a star in a folder", "allow", "Read", "{h}/notes/a.md", allow=("Read(~/notes/*.md)",)),
    Row("goes no deeper", "ask", "Read", "{h}/notes/d/b.md", allow=("Read(~/notes/*.md)",)),
    Row("a bare name at any depth", "deny", "Read", "{w}/pkg/.env", deny=("Read(.env)",)),
    Row("not above its anchor", "ask", "Read", "{top}/.env", deny=("Read(.env)",)),
    bash("for commands too", "deny", "cat .env", deny=("Read(.env)",)),
    Row("no editing what may not be read", "deny", "Edit", "{w}/.env", deny=("Read(.env)",)),
    Row("nor writing", "deny", "Write", "{w}/.env", deny=("Read(.env)",)),
    Row("nor searching", "deny", "Grep", "{w}/secrets", deny=("Read(./secrets/**)",)),
    Row("an edit asks", "ask", "Edit", "{w}/src/a.py"),
    Row("a folder's rule", "allow", "Edit", "{w}/src/app.ts", allow=("Edit(src/**)",)),
    Row("is for the one at the top", "ask", "Edit", "{w}/vendor/pkg/src/lib.js", allow=("Edit(src/**)",)),
    Row("denied at any depth", "deny", "Edit", "{w}/vendor/pkg/src/lib.js", deny=("Edit(src/**)",), mode="acceptEdits"),
    Row("allowed at any depth", "allow", "Write", "{w}/vendor/pkg/src/lib.js", allow=("Edit(**/src/**)",)),
    Row("Write takes no path", "ask", "Write", "{w}/docs/a.md", allow=("Write(docs/**)",)),
    Row("Edit governs notebooks", "allow", "NotebookEdit", "{w}/docs/a.ipynb", allow=("Edit(docs/**)",)),
    Row("git's own folder", "ask", "Edit", "{w}/.git/config", mode="acceptEdits"),
    Row("whatever is allowed", "ask", "Write", "{w}/.mcp.json", allow=("Edit",)),
    Row("but in bypass mode", "allow", "Edit", "{w}/.git/config", mode="bypassPermissions"),
    Row("a plan changes nothing", "deny", "Edit", "{w}/a.py", allow=("Edit",), mode="plan"),
    Row("a link to what is denied", "deny", "Read", "{w}/p/key", allow=("Read(./p/**)",), deny=("Read(~/.ssh/**)",)),
    Row("a link to what is not allowed", "ask", "Read", "{x}/p/l", allow=("Read(/{x}/p/**)",)),
    Row("hosts in any case", "allow", "WebFetch", "https://EXAMPLE.com./x", allow=("WebFetch(domain:example.com)",)),
    Row("not a host below", "ask", "WebFetch", "https://api.example.com", allow=("WebFetch(domain:example.com)",)),
    Row("all hosts below", "allow", "WebFetch", "https://a.b.example.com", allow=("WebFetch(domain:*.example.com)",)),
    Row("and not the one above", "ask", "WebFetch", "https://example.com", allow=("WebFetch(domain:*.example.com)",)),
    Row("a star for one label", "allow", "WebFetch", "https://example.org", allow=("WebFetch(domain:example.*)",)),
    Row("and no two", "ask", "WebFetch", "https://example.evil.com", allow=("WebFetch(domain:example.*)",)),
    Row("a server's tools", "allow", "mcp__github__get_issue", "", allow=("mcp__github",)),
    Row("some of them", "allow", "mcp__github__get_issue", "", allow=("mcp__github__get_*",)),
    Row("not the others", "ask", "mcp__github__create_issue", "", allow=("mcp__github__get_*",)),
    Row("not all servers", "ask", "mcp__github__get_issue", "", allow=("mcp__*",)),
    Row("but to deny", "deny", "mcp__github__get_issue", "", deny=("mcp__*",)),
    Row("an agent", "deny", "Agent", "x", deny=("Agent(Explore)",), extra={"subagent_type": "Explore"}),
    Row("a model that is not named", "allow", "Agent", "x", deny=("Agent(model:opus)",)),
    Row("a skill with arguments", "ask", "Skill", "deploy", allow=("Skill(deploy)",), extra={"args": "prod"}),
    bash("a hook does not outdo deny", "deny", "git push", deny=("Bash(git push *)",), hook="allow"),
    bash("a hook allows", "allow", "npm test", hook="allow"),
    bash("a hook refuses", "deny", "npm test", allow=("Bash",), hook="deny"),
    bash("a hook does not outdo ask", "ask", "npm test", ask=("Bash(npm *)",), hook="allow"),
    bash("in the sandbox nobody is asked", "allow", "npm test", sandbox=ON),
    bash("not even by a rule for all commands", "allow", "npm test", ask=("Bash",), sandbox=ON),
    bash("but by one for this", "ask", "npm test", ask=("Bash(npm *)",), sandbox=ON),
    bash("what is kept out of it asks", "ask", "docker ps && docker build .",
         sandbox={**ON, "excludedCommands": ["docker *"]}),
    bash("an untrusted project allows nothing", "deny", "npm test", allow=("Bash(npm *)",), is_trusted=False, mode="dontAsk"),
    bash("and may deny", "deny", "npm test", deny=("Bash(npm *)",), is_trusted=False),
    bash("the working folder is critical", "ask", "rm -rf .", allow=("Bash(rm *)",)),
    bash("a folder in it is not", "allow", "rm -rf build", allow=("Bash(rm *)",)),
    bash("an open rule ends a word", "ask", "lsx -x", allow=("Bash(ls *)",)),
    Row("a bare name reaches no higher than its anchor", "ask", "Read", "{top}/.env", deny=("Read(.env)",)),
    Row("Write as a whole", "allow", "Write", "{w}/docs/a.md", allow=("Write",)),
    Row("accepted edits in the working folder", "allow", "Edit", "{w}/src/a.py", mode="acceptEdits"),
    Row("accepted edits end at its border", "ask", "Edit", "{x}/q/f", mode="acceptEdits"),
    Row("a link with a rule for each end", "allow", "Read", "{x}/p/l", allow=("Read(/{x}/p/**)", "Read(/{x}/q/**)")),
]  # fmt: skip


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    top = Path(os.path.realpath(tmp_path_factory.mktemp("table")))
    for folder in ("w/sub", "w/p", "w/src", "h/.ssh", "h/notes/d", "x/p", "x/q"):
        (top / folder).mkdir(parents=True)
    for file in ("h/.ssh/id", "x/q/f", "w/a.ts", "w/src/a.py", "w/.env"):
        (top / file).write_text("")
    (top / "w/p/key").symlink_to(top / "h/.ssh/id")
    (top / "x/p/l").symlink_to(top / "x/q/f")
    return {name: str(top / name) for name in ("w", "h", "x")} | {"top": str(top)}


@pytest.fixture(scope="module")
def answers(places: dict[str, str]) -> dict[str, dict[str, Any]]:
    """What one run of the program says of all rows."""
    lines = "\n".join(json.dumps(row.query(places)) for row in ROWS)
    done = subprocess.run(
        [sys.executable, "-m", "tui_agent", "permissions", "explain", "--jsonl"],
        input=lines, capture_output=True, text=True, check=False, cwd=places["w"], timeout=60,
        env={**os.environ, "TUI_AGENT_HOME": f"{places['top']}/state", "HOME": places["h"],
             "XDG_CONFIG_HOME": f"{places['top']}/config"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return dict(zip((row.name for row in ROWS), answers, strict=True))


def test_each_row_has_a_name_of_its_own() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.name}: {row.tool} {row.subject}")
def test_the_decision_is_that_of_the_table(row: Row, places: dict[str, str]) -> None:
    verdict = row.verdict(places)
    assert verdict.behavior == row.expected, verdict


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.name}: {row.tool} {row.subject}")
def test_the_program_says_the_same(row: Row, answers: dict[str, dict[str, Any]]) -> None:
    answer = answers[row.name]
    assert answer.get("verdict") == row.expected, answer
    assert answer["reason"]
    assert answer["steps"]


def test_blank_and_star_end_a_word() -> None:
    pattern = CommandPattern.parse("ls *")
    assert pattern.matches("ls")
    assert pattern.matches("ls -la")
    assert not pattern.matches("lsof -x")


def test_a_tool_that_is_denied_as_a_whole_is_not_offered() -> None:
    assert RuleSet.from_lists(deny=["Bash"]).denied_tools() == {"Bash"}
    assert RuleSet.from_lists(deny=["mcp__*"]).denied_tools() == {"mcp__*"}


@pytest.mark.parametrize(
    ("rule", "behavior", "says"),
    [
        ("Bash(command:rm *)", "deny", "rules of its own"),
        ("Write(docs/**)", "allow", "use `Edit(docs/**)`"),
        ("mcp__*", "allow", "too much"),
    ],
)
def test_a_rule_that_does_nothing_is_warned_about(rule: str, behavior: str, says: str) -> None:
    rules = RuleSet.from_lists(**{behavior: [rule]})  # type: ignore[arg-type]
    assert says in rules.problems[0].text


def test_a_denied_file_is_no_attachment(places: dict[str, str]) -> None:
    where = PathContext(cwd=places["w"], project_root=places["w"], home=places["h"])
    assert RuleSet.from_lists(deny=["Read(.env)"]).denies_path(f"{places['w']}/.env", "read", where)


def test_how_what_is_let_through_has_to_run(places: dict[str, str]) -> None:
    held = {
        "a listing reads only": "read_only",
        "an exact rule": None,
        "in the sandbox nobody is asked": "workspace",
        "what is kept out of it asks": None,
        "tail reads only": PerCommand("npm test | tail -5", ((11, "read_only"),)),
    }
    found = {row.name: row.verdict(places).confinement for row in ROWS if row.name in held}
    assert found == held


@pytest.mark.parametrize("is_projects", [True, False])
def test_whoever_denies_is_named_whoever_allows(is_projects: bool, places: dict[str, str]) -> None:
    sources = (
        RuleSource("project", "project settings", places["w"]),
        RuleSource("user", "user settings", f"{places['h']}/.claude"),
    )
    denying, allowing = sources if is_projects else sources[::-1]
    rules = RuleSet.merged(
        RuleSet.from_lists(allow=["Bash(make *)"], source=allowing),
        RuleSet.from_lists(deny=["Bash(make deploy *)"], source=denying),
    )
    where = PathContext(cwd=places["w"], project_root=places["w"], home=places["h"])
    verdict = decide(
        call_from_input("Bash", {"command": "make deploy"}, where), rules=rules, mode="default", where=where
    )
    assert (verdict.behavior, verdict.rule, verdict.source) == ("deny", "Bash(make deploy *)", denying.name)
