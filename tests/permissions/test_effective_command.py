# ruff: noqa: E501 - commands stand whole, many on a line
"""A denied command is found behind whatever runs another: wrappers, shells, languages, variables, files just written."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from tui_agent.permissions.call_facts import call_from_input
from tui_agent.permissions.decide import decide
from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.rules import RuleSet

WHERE = PathContext(cwd="/w", project_root="/w", home="/h", resolve=lambda path: path)
DENY = RuleSet.from_lists(allow=["Bash"], deny=["Bash(evil *)"])
ASK = RuleSet.from_lists(allow=["Bash"], ask=["Bash(evil *)"])

# Surely run it, as soon as the program is there.
SURE = (
    "fish -c 'evil x'", "csh -c evil", "tcsh -c 'true; evil'", "mksh -c evil", "ksh -c evil", "dash -c evil", "zsh -c evil",
    "busybox sh -c evil", "bash -lc evil", "bash -c -x evil", "bash -c -o errexit evil", "fish --command='evil x'",
    "prlimit --nofile=5 evil x", "prlimit -n=5 evil", "setarch x86_64 evil", "setarch -R evil", "linux64 evil", "unshare -r evil",
    "nsenter -t 1 -m evil", "chroot / evil", "setpriv --reuid 0 evil", "runuser -u me -- evil", "runuser me -c evil", "su -c evil me",
    "sudo -u me evil", "doas evil", "pkexec evil", "systemd-run --user evil", "taskset 1 evil", "taskset -c 0 evil", "chrt 5 evil",
    "ionice -c 3 evil", "nice evil", "nohup evil", "stdbuf -o0 evil", "timeout 5 evil", "time evil", "strace -o f evil", "ltrace evil",
    "gdb --args evil x", "valgrind evil", "flock f evil", "flock f -c evil", "script -qc evil f", "watch evil", "parallel evil ::: x",
    "parallel ::: 'evil x'", "xargs evil", "xargs -I{} evil {}", "find . -exec evil {} +", "env -S 'evil x'", "env -S'evil x'",
    "env --split-string='evil x'", "env -iS 'A=1 evil'", "setsid evil", "xvfb-run evil", "fakeroot evil", "torsocks evil",
    "alias x=evil", "alias x='evil y'; x", "f() { evil; }; f", "eval evil", "sg me -c evil", "capsh -- -c evil", "bash -c 'bash -c evil'",
    "choom -n 0 -- evil x", "uclampset -a evil", "coresched new -- evil", "uname26 evil", "jobs -x evil x", "dpkg-architecture -c evil",
    "bwrap --dev-bind / / evil x", "env --split-string='-u A evil x'", "env -S '-i evil\\_x'", "start-stop-daemon -S -x evil", "newgrp root -c evil",
    "timeout 5 prlimit evil", "sudo fish -c 'setsid evil'", "bash <(evil)", "hyperfine 'evil x'", "ssh-agent evil", "sshpass -p x evil",
    "rmksh -c evil", "mksh-static -c 'evil x'", "env - evil x", "env -i - evil", "env - A=1 evil", "env - - evil", "timeout 5 env - evil", "logsave /dev/null evil x", "logsave -as - evil",
    "gpg-agent --daemon evil x", "gpg-agent --homedir h --daemon -- evil", "systemd-cat evil", "systemd-cat -t x evil", "fakeroot-sysv evil",
    "fakeroot-tcp -- evil", "debconf-apt-progress -- evil x", "fstab-decode evil", "run-one evil", "daemonize evil", "setlock f evil x",
    "chpst -u me evil", "tcpserver 0 80 evil", "dtach -n f evil", "qemu-x86_64-static evil", "mpirun -n 2 evil", "krenew -- evil",
    "flatpak-spawn --host evil", "distrobox-host-exec evil", "dbus-launch evil", "dbus-run-session -- evil", "wait-for-it h:1 -- evil",
    "xinit evil -- :1", "schroot -c x -- evil", "uftrace evil", "gdbserver :1 evil", "cross-env A=1 evil", "busybox env - evil",
    "msgexec evil", "luit evil", "run0 evil", "catatonit -- evil", "toybox evil", "torsocks -- evil", "firejail --quiet evil",
)  # fmt: skip
# May run it: what is denied stands in a text or among operands, and nobody can tell.
MAYBE = (
    "bash <(echo evil)", "bash < <(echo evil)", "bash -s <<< evil", "bash -s x <<< evil", "bash <<E\nevil\nE", "echo evil | bash",
    "echo evil | fish", "bash /dev/stdin <<< evil", "source <(echo evil)", ". <(echo evil)", "source /dev/stdin <<< evil",
    "bash -c \"$(echo evil)\"", "echo evil | xargs env", "echo evil | xargs -I{} sh -c '{}'", "echo evil | xargs -I{} {}",
    "echo evil | xargs timeout 5", "echo evil | parallel", "f() { \"$@\"; }; f evil",
    "cmake -E env evil x", "cmake -E time evil", "toolbox run evil", "keyctl session - evil", "coverage run evil", "xterm -e evil",
    "x-terminal-emulator -e 'evil x'", "meson devenv evil", "sops exec-env f 'evil x'", "trace-cmd record evil", "foot evil", "mix cmd evil",
    "ssh host evil", "ssh host 'cd x && evil y'", "ssh -p 22 me@host sh -c evil", "docker exec c evil x", "docker run --rm image evil",
    "docker run image sh -c 'evil x'", "docker run --entrypoint evil image", "kubectl exec pod -- evil", "npx evil",
    "npm exec -- evil", "uv run evil", "poetry run evil x", "nix shell -c evil", "ip netns exec n evil", "tmux new -d 'evil x'",
    "perl -e 'system(\"evil\")'", "python3 -c 'import os; os.system(\"evil x\")'", "python3 -c \"import subprocess as s; s.run(['evil'])\"",
    "node -e 'require(`child_process`).execSync(`evil`)'", "ruby -e '`evil`'", "php -r 'system(\"evil\");'", "lua -e 'os.execute(\"evil\")'",
    "awk 'BEGIN { system(\"evil\") }'", "sed '1e evil' f", "vim -c '!evil' -c q", "make --eval='x:;evil' x", "expect -c 'spawn evil'",
    "python3 <<'E'\nimport os\nos.system('evil')\nE", "echo 'system(\"evil\")' | perl", "python3 - <<< 'import os; os.system(\"evil\")'",
    "git -c alias.x='!evil' x", "git -c core.pager=evil log", "git -c core.sshCommand='evil y' fetch", "git rebase -x evil main",
    "git bisect run evil", "git submodule foreach evil", "git clone 'ext::evil x' y", "git ls-remote --upload-pack=evil x",
    "git config alias.x '!evil'", "tar cf a --to-command=evil x", "tar cf a -I evil x", "tar cf a --checkpoint-action=exec=evil x",
    "rsync -e evil a b:c", "sort --compress-program=evil f", "rg --pre evil x", "man -P evil ls",
    "GIT_SSH_COMMAND=evil git fetch", "PAGER=evil man ls", "EDITOR='evil x' git commit", "export PROMPT_COMMAND=evil",
    "env PAGER=evil man ls", "PS4='$(evil)'; set -x; true", "BASH_ALIASES[x]=evil", "cp /usr/bin/evil x; ./x", "ln -s /usr/bin/evil x",
    "/lib64/ld-linux-x86-64.so.2 /usr/bin/evil", "hash -p /usr/bin/evil ls; ls", "unknown-runner /usr/local/bin/evil x",
    "printf 'x:;evil\\n' | make -f -", "make -f - <<< 'x:;evil'", "printf 'x:;evil' | make -sf /dev/stdin", "make --file=- <<< 'x:;evil'",
    "make -f <(printf 'x:;evil')", "make -f <(printf 'x:;ev%s' il)", "make --file=<(echo x)", "make -f - <<'E'\nx:;ev''il\nE", "just -f <(echo evil)",
    "unknown-runner --script <(echo evil)", "tmux -f <(echo run evil)", "sh -c 'make -f \"$0\"' <(echo x)", "batch <<'E'\nev''il\nE",
    "make --makefile - <<E\nx:;evil\nE", "make -f - <<'E'\nx:;evil\nE", "make --mak - <<< 'x:;evil'", "make --fil=- x <<< 'x:;evil'",
    "printf 'x:;evil' | make -f- x", "make -f /dev/fd/0 x <<< 'x:;evil'", "cd . && make -kf - <<< 'x:;evil'",
    "echo 'evil x' > f; bash f", "printf 'evil\\n' > f.py; python3 f.py", "echo evil > x.sh && chmod +x x.sh && ./x.sh",
    "echo evil | tee f; source f", "mapfile -C evil -c 1 x < f", "dc -e '!evil'", "scp -o ProxyCommand=evil a b:c", "socat - EXEC:evil",
)  # fmt: skip
HARMLESS = (
    "sort <(grep evil f)", "comm -12 <(grep evil a) <(sort b)", "diff <(echo evil) f", "make -f build.mk evil", "unknown <(cat f)", "crontab -l",
    "safe evil", "echo 'evil x'", "git commit -m 'no evil; evil x'", "grep -rn evil .", "ls /usr/bin/evil", "which evil", "command -v evil",
    "awk '/evil/ {print}' log", "sed -n '/evil/p' f", "sed -i 's/evil/good/' f", "cat evil", "npm install evil", "pip install evil",
    "python3 x.py", "python3 x.py --name devil", "perl -pe 's/a/b/' f", "docker ps", "docker logs evil", "docker build -t evil .",
    "kubectl get evil", "git log --grep=evil", "git checkout evil", "git add evil", "rg evil", "ssh host ls", "npm run build",
    "git commit -m \"$(cat <<'E'\nevil is gone; evil x\nE\n)\"", "python3 - <<'E'\nprint('devilish')\nE", "npm test -- -k evil-twin",
    "pytest -k evil", "echo evil > notes.txt", "make -j4", "make test", "make -f Makefile evil", "make -C sub evil", "echo evil | make", "bash build.sh", "./run.sh --x", "timeout 60 make", "env FOO=evil make",
    "find . -name evil -exec grep x {} +", "find . | xargs grep evil", "xargs -n1 basename", "gh pr create --title evil --body 'evil x'",
    "curl -X POST -d evil http://x", "docker run -it image bash", "uv run pytest", "npx tsc --noEmit", "source venv/bin/activate",
    "cmake -S . -B evil", "cmake --build build --target evil", "turbo build evil", "npm install -E evil", "tox -e py", "env -", "nvm install evil",
    "meson setup build", "coverage report", "logsave x safe", "keyctl show",
    "tar czf evil.tar.gz src", "cp a b", "cp /usr/bin/other x",
)  # fmt: skip


def behavior(command: str, rules: RuleSet = DENY) -> str:
    call = call_from_input("Bash", {"command": command}, WHERE)
    return decide(call, rules=rules, mode="bypassPermissions", where=WHERE).behavior


@pytest.mark.parametrize("command", SURE)
def test_what_surely_runs_a_denied_command_is_denied(command: str) -> None:
    assert behavior(command) == "deny"
    assert behavior(command, ASK) == "ask"


@pytest.mark.parametrize("command", MAYBE)
def test_what_may_run_a_denied_command_asks_in_every_mode(command: str) -> None:
    assert behavior(command) in {"ask", "deny"}
    assert behavior(command, ASK) == "ask"


def test_what_runs_no_denied_command_is_left_alone() -> None:
    assert [command for command in HARMLESS if behavior(command) != "allow"] == []


def test_the_commands_above_are_real_attacks(tmp_path: Path) -> None:
    """Run them all: those whose programs are here do run what is denied."""
    programs, marks = tmp_path / "bin", tmp_path / "marks"
    programs.mkdir()
    (programs / "evil").write_text(f'#!/bin/sh\necho "$ROW" >> {marks}\n')
    (programs / "evil").chmod(0o755)
    work = tmp_path / "work"
    work.mkdir()
    rows = [*SURE, *MAYBE]
    skipped = (
        "sudo",
        "su ",
        "doas",
        "pkexec",
        "systemd-run",
        "runuser",
        "ssh",
        "docker",
        "nsenter",
        "chroot",
        "npx",
        "npm",
        "uv ",
        "sg ",
    )
    lines = [
        f"(cd {work} && echo x > f && ROW={index} timeout -k 1 5 bash -c {shlex.quote(row)} {work} < /dev/null > /dev/null 2>&1) &"
        + (" wait" if index % 16 == 15 else "")
        for index, row in enumerate(rows)
        if not row.startswith(skipped)
    ]
    subprocess.run(
        ["bash", "-c", "\n".join([*lines, "wait"])],
        env={"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(tmp_path), "TERM": "dumb"},
        cwd=work,
        check=False,
        timeout=60,
    )
    ran = {rows[int(line)] for line in marks.read_text().split()}
    assert len(ran) >= 40, sorted(set(rows) - ran)
