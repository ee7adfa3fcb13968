"""Worked examples of decisions: rules and a call, and what must come of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from tui_agent.permissions.decide import decide
from tui_agent.permissions.facts import call_from_input
from tui_agent.permissions.modes import Mode
from tui_agent.permissions.rules import RuleSet, RuleSource
from tui_agent.permissions.surroundings import Surroundings
from tui_agent.permissions.verdict import ToolOpinion, Verdict

PROJECT = RuleSource("project", "project settings", "/w")
USER = RuleSource("user", "user settings", "/h/.claude")
LINKS = {"/w/p/key": "/h/.ssh/id", "/ext/p/l": "/ext/q/f"}


@dataclass(frozen=True)
class Example:
    """One line: `tool` and `subject` (a command, a path or a URL), the lists, and the outcome."""

    name: str
    expected: str
    tool: str
    subject: str
    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    mode: Mode = "default"
    source: RuleSource = PROJECT
    extra: dict[str, Any] = field(default_factory=dict)
    is_trusted: bool = True
    hook: ToolOpinion | None = None

    def verdict(self) -> Verdict:
        where = Surroundings(
            cwd="/w",
            project_root="/w",
            home="/h",
            is_trusted=self.is_trusted,
            resolve=lambda path: LINKS.get(path, path),
        )
        key = {"Bash": "command", "Grep": "path", "WebFetch": "url", "NotebookEdit": "notebook_path"}.get(
            self.tool, "file_path"
        )
        call = call_from_input(self.tool, {key: self.subject, **self.extra}, where)
        rules = RuleSet.from_lists(allow=self.allow, ask=self.ask, deny=self.deny, source=self.source)
        return decide(call, rules=rules, mode=self.mode, where=where, hook=self.hook)


def bash(name: str, expected: str, command: str, **rest: Any) -> Example:
    return Example(name, expected, "Bash", command, **rest)


NPM_TEST = ("Bash(npm test *)",)
EXAMPLES = [
    bash("a command without rules asks", "ask", "npm test"),
    bash("a listing", "allow", "ls -la"),
    bash("a listing with a glob", "allow", "ls *.ts"),
    bash("a search by name", "allow", "find . -name '*.ts'"),
    bash("two allowed commands", "allow", "git status && npm test", allow=NPM_TEST),
    bash("an allowed one and a reader", "allow", "npm test | tail -5", allow=NPM_TEST),
    bash("a change of folder and a listing", "allow", "cd sub && ls"),
    bash("a search without errors", "allow", "cd sub; grep -r p . 2>/dev/null"),
    bash("making folders and files", "allow", "mkdir -p a/b && touch a/b/c", mode="acceptEdits"),
    bash("find with an unquoted glob asks", "ask", "find . -name *.ts"),
    bash("find -delete asks", "ask", "find . -delete"),
    bash("find -delete is not covered by a pattern", "ask", "find . -name x -delete", allow=("Bash(find *)",)),
    bash("it is by the exact command", "allow", "find . -name x -delete", allow=("Bash(find . -name x -delete)",)),
    bash("an exact rule covers its command", "allow", "npm run build", allow=("Bash(npm run build)",)),
    bash("and no longer one", "ask", "npm run build --prod", allow=("Bash(npm run build)",)),
    bash("blank and star covers nothing more", "allow", "npm run test", allow=("Bash(npm run test *)",)),
    bash("blank and star covers arguments", "allow", "npm run test -- -u", allow=("Bash(npm run test *)",)),
    bash("colon and star means the same", "allow", "npm run test -- -u", allow=("Bash(npm run test:*)",)),
    bash("blank and star ends a word", "ask", "lsx -x", allow=("Bash(ls *)",)),
    bash("a star alone does not", "allow", "foobar", allow=("Bash(foo*)",)),
    bash("a colon elsewhere is a colon", "ask", "git push", allow=("Bash(git:* push)",)),
    bash("a star in the middle spans words", "allow", "git push origin main", allow=("Bash(git * main)",)),
    bash("a star at the start", "allow", "node --version", allow=("Bash(* --version)",)),
    bash("what is behind a pattern without a star counts", "ask", "npm install left-pad", allow=("Bash(* install)",)),
    bash("a rule does not cover a second command", "ask", "safe-cmd && other-cmd", allow=("Bash(safe-cmd *)",)),
    bash("nor one behind a pipe", "ask", "npm test | tee out.log", allow=NPM_TEST),
    bash("a duplicated descriptor is free", "allow", "npm test 2>&1", allow=NPM_TEST),
    bash("the null device is free", "allow", "npm test > /dev/null", allow=NPM_TEST),
    bash("a written file is not", "ask", "npm test > out.txt", allow=NPM_TEST),
    bash("unless a rule allows it", "allow", "npm test > out.txt", allow=(*NPM_TEST, "Edit(/out.txt)")),
    bash("or edits are accepted", "allow", "npm test > out.txt", allow=NPM_TEST, mode="acceptEdits"),
    bash("a protected file stays protected", "ask", "git commit -m x > .git/hooks/y", allow=("Bash(git commit *)",),
         mode="acceptEdits"),
    bash("a redirection to home asks", "ask", "npm test > ~/x", allow=NPM_TEST),
    bash("timeout is looked through", "allow", "timeout 30 npm test", allow=NPM_TEST),
    bash("so are several wrappers", "allow", "time nice nohup npm test", allow=NPM_TEST),
    bash("a safe variable may be set", "allow", "NODE_ENV=test npm test", allow=NPM_TEST),
    bash("another may not", "ask", "LD_PRELOAD=./x.so npm test", allow=NPM_TEST),
    bash("no variable hides what is denied", "deny", "FOO=bar rm -rf tmp/", deny=("Bash(rm *)",)),
    bash("bare xargs is looked through", "allow", "xargs wc -l", allow=("Bash(wc *)",)),
    bash("xargs with options is not", "ask", "xargs -n1 mygrep p", allow=("Bash(mygrep *)",)),
    bash("watch needs the exact command", "ask", "watch date", allow=("Bash(watch *)",)),
    bash("npx is a program of its own", "ask", "npx npm test", allow=NPM_TEST),
    bash("a pattern covers what follows it", "allow", "devbox run rm -rf .", allow=("Bash(devbox run *)",)),
    bash("deny beats allow in a second command", "deny", "echo a && curl x.io", allow=("Bash",), deny=("Bash(curl *)",)),
    bash("deny sees through sudo", "deny", "sudo curl x.io", allow=("Bash",), deny=("Bash(curl *)",)),
    bash("a narrow allow makes no hole in a deny", "deny", "aws s3 ls", allow=("Bash(aws s3 ls)",), deny=("Bash(aws *)",)),
    bash("ask beats allow", "ask", "git push", allow=("Bash(git *)",), ask=("Bash(git push *)",)),
    bash("ask beats bypass", "ask", "git push", ask=("Bash(git push *)",), mode="bypassPermissions"),
    bash("ask is a refusal where nobody is asked", "deny", "git push", ask=("Bash(git push *)",), mode="dontAsk"),
    bash("a whole tool can be denied", "deny", "true", deny=("Bash",)),
    bash("a field's value can be denied", "deny", "make", allow=("Bash",), deny=("Bash(run_in_background:true)",),
         extra={"run_in_background": True}),
    bash("a field left out never matches", "allow", "make", allow=("Bash",), deny=("Bash(run_in_background:*)",)),
    bash("a primary field cannot be a field rule", "allow", "rm x", allow=("Bash(rm *)",), deny=("Bash(command:rm *)",)),
    bash("ask holds for harmless commands", "ask", "ls", ask=("Bash(ls *)",)),
    bash("removing home always asks", "ask", "rm -rf ~", allow=("Bash",), mode="bypassPermissions"),
    bash("so does a star behind a variable", "ask", 'rm -rf "$DIR"/*', allow=("Bash(rm *)",)),
    bash("also in a substitution", "deny", 'echo "$(rm -rf ~)"', allow=("Bash(echo *)",), mode="dontAsk"),
    bash("the working folder is critical", "ask", "rm -rf .", allow=("Bash(rm *)",)),
    bash("a folder in it is not", "allow", "rm -rf build", allow=("Bash(rm *)",)),
    bash("copying elsewhere asks", "ask", "cp a.txt /etc/x", mode="acceptEdits"),
    bash("no rule and nobody to ask", "deny", "npm test", mode="dontAsk"),
    bash("changing folder before git asks", "ask", "cd sub && git status"),
    bash("reading a denied file is denied", "deny", "cat .env", deny=("Read(.env)",)),
    bash("a refusal beats a hook's approval", "deny", "git push", deny=("Bash(git push *)",), hook=ToolOpinion("allow")),
    bash("a hook may approve", "allow", "npm test", hook=ToolOpinion("allow")),
    bash("a hook may refuse what is allowed", "deny", "npm test", allow=("Bash",), hook=ToolOpinion("deny")),
    bash("a question beats a hook's approval", "ask", "npm test", ask=("Bash(npm *)",), hook=ToolOpinion("allow")),
    bash("an untrusted folder allows nothing", "deny", "npm test", allow=("Bash(npm *)",), is_trusted=False, mode="dontAsk"),
    bash("but it may deny", "deny", "npm test", deny=("Bash(npm *)",), is_trusted=False),
    Example("reading in the working folder is free", "allow", "Read", "/w/src/a.py"),
    Example("reading elsewhere asks", "ask", "Read", "/etc/hosts"),
    Example("unless a rule with the whole path allows it", "allow", "Read", "/etc/hosts", allow=("Read(//etc/**)",)),
    Example("one slash is the project", "ask", "Read", "/etc/hosts", allow=("Read(/etc/**)",)),
    Example("or the folder of the settings", "allow", "Read", "/h/.claude/x/y", allow=("Read(/x/**)",), source=USER),
    Example("a star stays in its folder", "allow", "Read", "/h/notes/a.md", allow=("Read(~/notes/*.md)",)),
    Example("and goes no deeper", "ask", "Read", "/h/notes/d/b.md", allow=("Read(~/notes/*.md)",)),
    Example("a bare name matches at any depth", "deny", "Read", "/w/pkg/.env", deny=("Read(.env)",)),
    Example("but not above its anchor", "ask", "Read", "/.env", deny=("Read(.env)",)),
    Example("who may not read may not edit", "deny", "Edit", "/w/.env", deny=("Read(.env)",)),
    Example("nor write", "deny", "Write", "/w/.env", deny=("Read(.env)",)),
    Example("a denied folder cannot be searched", "deny", "Grep", "/w/secrets", deny=("Read(./secrets/**)",)),
    Example("an edit asks", "ask", "Edit", "/w/src/a.py"),
    Example("a rule allows edits in a folder", "allow", "Edit", "/w/src/app.ts", allow=("Edit(src/**)",)),
    Example("in the one at the top", "ask", "Edit", "/w/vendor/pkg/src/lib.js", allow=("Edit(src/**)",)),
    Example("a refusal reaches each", "deny", "Edit", "/w/vendor/pkg/src/lib.js", deny=("Edit(src/**)",),
            mode="acceptEdits"),
    Example("two stars allow each", "allow", "Write", "/w/vendor/pkg/src/lib.js", allow=("Edit(**/src/**)",)),
    Example("a path rule on Write is not one", "ask", "Write", "/w/docs/a.md", allow=("Write(docs/**)",)),
    Example("Write as a whole is", "allow", "Write", "/w/docs/a.md", allow=("Write",)),
    Example("Edit rules govern notebooks", "allow", "NotebookEdit", "/w/docs/a.ipynb", allow=("Edit(docs/**)",)),
    Example("protected places ask when edits are accepted", "ask", "Edit", "/w/.git/config", mode="acceptEdits"),
    Example("and when a rule allows edits", "ask", "Write", "/w/.mcp.json", allow=("Edit",)),
    Example("bypass goes there", "allow", "Edit", "/w/.git/config", mode="bypassPermissions"),
    Example("plan mode changes nothing", "deny", "Edit", "/w/a.py", allow=("Edit",), mode="plan"),
    Example("accepted edits in the working folder", "allow", "Edit", "/w/a.py", mode="acceptEdits"),
    Example("accepted edits end at its border", "ask", "Edit", "/x/a.py", mode="acceptEdits"),
    Example("a link is judged by its target too", "deny", "Read", "/w/p/key", allow=("Read(./p/**)",),
            deny=("Read(~/.ssh/**)",)),
    Example("allowing needs both ends", "ask", "Read", "/ext/p/l", allow=("Read(//ext/p/**)",)),
    Example("which two rules may give", "allow", "Read", "/ext/p/l", allow=("Read(//ext/p/**)", "Read(//ext/q/**)")),
    Example("hosts compare without case and last dot", "allow", "WebFetch", "https://EXAMPLE.com./x",
            allow=("WebFetch(domain:example.com)",)),
    Example("a subdomain is another host", "ask", "WebFetch", "https://api.example.com",
            allow=("WebFetch(domain:example.com)",)),
    Example("star and dot are all subdomains", "allow", "WebFetch", "https://a.b.example.com",
            allow=("WebFetch(domain:*.example.com)",)),
    Example("and not the domain", "ask", "WebFetch", "https://example.com", allow=("WebFetch(domain:*.example.com)",)),
    Example("a star elsewhere is one label", "allow", "WebFetch", "https://example.org", allow=("WebFetch(domain:example.*)",)),
    Example("and not two", "ask", "WebFetch", "https://example.evil.com", allow=("WebFetch(domain:example.*)",)),
    Example("a server's name covers its tools", "allow", "mcp__github__get_issue", "", allow=("mcp__github",)),
    Example("a star behind the server", "allow", "mcp__github__get_issue", "", allow=("mcp__github__get_*",)),
    Example("leaves the others", "ask", "mcp__github__create_issue", "", allow=("mcp__github__get_*",)),
    Example("a star over servers allows nothing", "ask", "mcp__github__get_issue", "", allow=("mcp__*",)),
    Example("but may deny", "deny", "mcp__github__get_issue", "", deny=("mcp__*",)),
    Example("an agent can be denied", "deny", "Agent", "", deny=("Agent(Explore)",), extra={"subagent_type": "Explore"}),
    Example("a field left out never matches there either", "allow", "Agent", "", deny=("Agent(model:opus)",)),
    Example("a skill with arguments needs the star", "ask", "Skill", "", allow=("Skill(deploy)",),
            extra={"skill": "deploy", "args": "prod"}),
]  # fmt: skip


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example.name}: {example.subject}")
def test_the_decision_is_the_expected_one(example: Example) -> None:
    verdict = example.verdict()
    assert verdict.behavior == example.expected, verdict


def test_user_allow_does_not_weaken_project_deny_nor_the_other_way_round() -> None:
    for one, other in ((USER, PROJECT), (PROJECT, USER)):
        rules = RuleSet.merged(
            RuleSet.from_lists(allow=["Bash(make *)"], source=one),
            RuleSet.from_lists(deny=["Bash(make deploy *)"], source=other),
        )
        where = Surroundings(cwd="/w", project_root="/w", home="/h")
        call = call_from_input("Bash", {"command": "make deploy"}, where)
        verdict = decide(call, rules=rules, mode="default", where=where)
        assert (verdict.behavior, verdict.rule, verdict.source) == ("deny", "Bash(make deploy *)", other.name)
