"""Removals that ask every time."""

from __future__ import annotations

import pytest

from tui_agent.permissions.path_context import PathContext
from tui_agent.permissions.shell.parse import parse
from tui_agent.permissions.shell.removal import critical_removal

WHERE = PathContext(
    cwd="/home/me/work/app", project_root="/home/me/work/app", home="/home/me", additional_dirs=("/data/shared/lib",),
    resolve=lambda path: {"/home/me/work/app/link": "/home/me"}.get(path, path),
)  # fmt: skip


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf /", "rm -rf /*", "rm -rf /etc", "rm -rf /e*",
        "rm -rf ~", "rm -rf ~/", "rm -rf ~/*", "rm -rf $HOME", 'rm -rf "$HOME"',
        'rm -rf "${HOME}/"', "rm -rf $HOME/*", "rm -rf .", "rm -rf ./",
        "rm -rf ..", "rm -rf ../..", "rm -rf *", "rm -rf ./*",
        "rm -rf .*", "rm -rf $PWD", "rm -rf /home/me/work", "rm -rf /home/me/work/app", "rm -rf /home/me/work/app/.",
        "rm -rf src/../..", 'rm -rf "$DIR"/*', "rm -rf $DIR/",
        "rm -rf ${DIR}/*", "rm -rf $DIR/..", "rm -rf -- /", "rm -r -f /usr/",
        "rmdir /home/me", "/bin/rm -rf /", "\\rm -rf /",
        "'rm' -rf /", "sudo rm -rf /", "env rm -rf ~", "timeout 5 rm -rf ~",
        "find . -exec rm -rf / ;", "bash -c 'rm -rf ~'", "eval 'rm -rf ~'",
        "echo $(rm -rf ~)", "echo `rm -rf /`", "cat <(rm -rf /)",
        "ls && rm -rf ~", "cd / && rm -rf etc", "cd && rm -rf work",
        "cd .. && rm -rf app", "ls | rm > log -rf ~", "rm > log -rf ~",
        "cd .. && cd .. && rm -rf work", "rm -rf ~root", "rm -rf {/,x}",
        'rm -rf "$(pwd)"', "rm -rf /data/shared/lib/*", "rm -rf /data/shared/*",
        "rm -rf link", "rm -rf //", "rm -rf /./etc",
        "x=1 rm -rf /", "rm x /", "rm -rf build /",
    ],
)  # fmt: skip
def test_a_critical_removal_is_seen(command: str) -> None:
    assert critical_removal(parse(command), WHERE)


@pytest.mark.parametrize(
    "command",
    [
        "rm x", "rm -rf build", "rm -rf ./build",
        "rm -rf /home/me/work/app/build", "rm -rf /home/me/other", "rm *.pyc", "rm -rf build/*",
        "rm -f -- -x", "rm -rf '~'", "rm -rf /tmp/a/b", "rm $FILE", 'rm "$DIR/file"', "echo rm -rf /", "git rm -r x",
        "rm -rf /data/shared/lib/x", "cd build && rm -rf out",
        "echo 'rm -rf /'", "rm -rf node_modules dist", "rm -rf /data/shared/lib",
    ],
)  # fmt: skip
def test_an_ordinary_removal_is_not(command: str) -> None:
    assert critical_removal(parse(command), WHERE) is None
