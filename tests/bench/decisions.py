"""Decisions on calls with 300 rules: at the median, with the parsing of a command that is new, and whether memory grows."""

from __future__ import annotations

import gc
import os
import statistics
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

from measuring import Finding, percentile, scratch

from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.decide import decide
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.rules import RuleSet

_ROUNDS = 1000
# What people have run all day; `N` makes each text another one.
_COMMANDS = (
    "npm test", "git log --oneline -N | head", "rg -n 'a|N' src | sort | uniq -c", "find . -name '*N.py' | xargs wc -l",
    "jq .aN f.json", "ls 2>/dev/null; pwd; echo N", "git status && npm test N > out.txt", "cd src && ls *.py",
    "for f in a b N; do cat $f; done", 'git commit -m "$(cat <<\'E\'\nnumber N\nE\n)"', "sed -i s/a/N/ x",
)  # fmt: skip
_FILES = (("Read", "src/aN.py"), ("Edit", "src/bN.py"), ("Read", "/etc/hosts"))


def _rules() -> RuleSet:
    allow = [f"Bash(tool{at} run *)" for at in range(89)] + [f"Read(~/docs{at}/**)" for at in range(30)]
    allow += [f"Edit(src{at}/**)" for at in range(20)] + ["Bash(npm test *)"]
    ask = [f"Bash(git push origin{at} *)" for at in range(60)] + [f"WebFetch(domain:a{at}.com)" for at in range(9)]
    deny = [f"Bash(evil{at} *)" for at in range(60)] + [f"Read(secret{at}/**)" for at in range(30)] + ["Read(.env)"]
    rules = RuleSet.from_lists(allow=allow, ask=ask, deny=deny)
    assert len(rules.all) == 300
    return rules


def measure() -> Iterator[Finding]:
    """Yield what is measured."""
    with scratch() as world:
        cwd = os.fspath(world.folder)
        where = PathContext(cwd=cwd, project_root=cwd, home=os.fspath(Path.home()))
        rules = _rules()

        def one(at: int) -> float:
            tools = [("Bash", {"command": text.replace("N", str(at))}) for text in _COMMANDS]
            tools += [(tool, {"file_path": path.replace("N", str(at))}) for tool, path in _FILES]
            name, input = tools[at % len(tools)]
            call = call_from_input(name, input, where)
            begun = time.perf_counter()
            decide(call, rules=rules, mode="default", where=where)
            return (time.perf_counter() - begun) * 1000

        for at in range(30):
            one(at)
        again = [min(one(at), one(at)) for at in range(_ROUNDS)]  # the second time the text is known
        yield Finding("decision, command seen before, median", statistics.median(again), 1, "ms", "300 rules")
        new = [one(at + 10_000) for at in range(_ROUNDS)]
        yield Finding("decision, parse included, median", statistics.median(new), 5, "ms", "300 rules")
        yield Finding("decision, parse included, 99 of 100", percentile(new, 0.99), 20, "ms", "300 rules")

        gc.collect()
        tracemalloc.start()
        for at in range(3 * _ROUNDS):  # until what is remembered of the last some hundred texts is full
            one(at + 20_000)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for at in range(_ROUNDS):
            one(at + 30_000)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        yield Finding("growth over 1,000 decisions on new texts", max(grown, 0) / 1024, 64, "KiB")
