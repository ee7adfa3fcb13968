# ruff: noqa: E501 - commands stand whole, many on a line
"""A rule that allows a program opens no protected file to it, however the program is told where to write."""

from __future__ import annotations

from pathlib import Path

import pytest
from attack_room import ALL, AttackRoom

PROTECTED = (".envrc", ".git/config", ".git/hooks/pre-commit", "sub/.mcp.json")
ATTACKS = (
    "dd if=pay of=./T", "dd of=T < pay", "dd if=pay 'of=T' bs=1", "dd conv=notrunc if=pay of=\"T\"", "cat pay | dd of=T status=none",
    "sort -o T pay", "sort pay --output=T", "sort -oT pay", "sort --output T pay", "uniq pay T", "xxd -r pay T", "rsync pay T", "rsync -a --log-file=T pay new",
    "cp pay T", "cp -t . pay --target-directory=T", "install pay T", "ln -f pay T", "mv pay T", "tee T < pay", "truncate -s0 T", "sed -i s/a/b/ T",
    "perl -pi -e s/mine/EVIL/ T", "perl -i -pe s/mine/EVIL/ T", "gawk -i inplace '{print 1}' T", "tar cf T pay", "tar -cf T pay", "tar --create --file=T pay",
    "shred T", "gzip T", "patch T pay", "split -n 1 pay T", "curl -o T file://$PWD/pay", "curl -so T file://$PWD/pay", "curl file://$PWD/pay -D T", "wget -O T http://localhost:1/",
    "env dd if=pay of=T", "timeout 5 dd if=pay of=T", "(cd sub; dd if=../pay of=../T)", "for f in T; do dd if=pay of=$f; done", "f=T; tee $f < pay", "for f in new T; do tee -a $f < pay; done", "for f in T new; do dd if=pay of=\"$f\"; done", "git mv -f pay T", "git diff --output=T", "ed -s T < pay",
    "bash -c 'dd if=pay of=T'", "printf T | xargs -I F dd if=pay of=F", "f=T; dd if=pay of=$f",
)  # fmt: skip
PROGRAMS = (
    "dd", "sort", "uniq", "xxd", "rsync", "cp", "install", "ln", "mv", "tee", "truncate", "sed", "perl", "gawk", "tar", "shred", "gzip",
    "patch", "split", "curl", "wget", "env", "timeout", "git", "ed", "cd", "date", "cat", "printf",
)  # fmt: skip
EVERYDAY = (
    "dd if=pay of=copy bs=1", "sort -o pay pay", "uniq pay once", "cp pay copy", "tar cf all.tar pay sub", "tar xf all.tar", "gzip -k pay", "git add .envrc pay",
    "git diff -- .envrc", "sort pay > /dev/null", "git add sub/.mcp.json", "tee other < pay", "split pay part-", "git commit -qm 'of=.envrc'", "sed -n 1p .envrc",
    "rsync --version > /dev/null", "for f in *.txt; do cp $f $f.bak; done", "n=$(date +%s); cp pay copy-$n", "for n in 1 2; do dd if=pay of=copy$n; done",
)  # fmt: skip


@pytest.fixture(params=ALL)
def room(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AttackRoom:
    room = AttackRoom(tmp_path, monkeypatch, request.param)
    lay_out(room)
    room.begin(*(f"Bash({program} *)" for program in PROGRAMS))
    return room


def lay_out(room: AttackRoom) -> None:
    room.clear()
    room.git("init", "-q")
    room.git("config", "user.email", "e@x")
    room.git("config", "user.name", "n")
    (room.work / "sub").mkdir()
    (room.work / "pay").write_text("EVIL\n")
    for name in (".envrc", ".git/hooks/pre-commit", "sub/.mcp.json"):
        (room.work / name).write_text("mine\n")


@pytest.mark.parametrize("target", [".envrc", "sub/.mcp.json", ".git/hooks/pre-commit"])
async def test_protected_files_stay(room: AttackRoom, target: str) -> None:
    changed = []
    for command in ATTACKS:
        room.renew(lay_out)
        said = await room.run(command.replace("T", target))
        if said != "asks" or (room.work / target).read_text() != "mine\n":
            changed.append((command, said))
    assert changed == []


async def test_a_rule_that_forbids_a_file_holds_for_them_too(room: AttackRoom) -> None:
    room.begin(*(f"Bash({program} *)" for program in PROGRAMS), settings={"permissions": {"deny": ["Edit(kept/**)"]}})
    changed = []
    for command in ATTACKS:
        room.renew(lay_out)
        (room.work / "kept").mkdir(exist_ok=True)
        (room.work / "kept/one").write_text("mine\n")
        await room.run(command.replace("T", "kept/one"))
        if not (room.work / "kept/one").exists() or (room.work / "kept/one").read_text() != "mine\n":
            changed.append(command)
    assert changed == []


async def test_everyday_work_does_not_ask(room: AttackRoom) -> None:
    assert {command: said for command in EVERYDAY if (said := await room.run(command)) == "asks"} == {}
    assert (room.work / "copy").read_text() == "EVIL\n"
