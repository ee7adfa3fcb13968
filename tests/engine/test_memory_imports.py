"""What memory files import, rules for some files only, and memory of folders below: what is read, when, and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui_agent.engine.context.memory import Memory
from tui_agent.engine.context.memory_loading import FolderMemory


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "home/project"
    write(folder / ".git/HEAD", "ref: refs/heads/main\n")
    return folder


def memory(work: Path, **options: object) -> FolderMemory:
    return FolderMemory(work, work.parent, **{"is_trusted": True, **options})  # type: ignore[arg-type]


def names(found: Memory, base: Path) -> list[str]:
    return [str(Path(file.path).relative_to(base)) for file in found.files]


def test_imports_follow_the_file_that_names_them(work: Path) -> None:
    write(
        work / "CLAUDE.md",
        "Read @docs/a.md and @~/notes.md, not `@docs/code.md`.\n```\n@docs/fence.md\n```\nme@docs/x.md",
    )
    write(work / "docs/a.md", "a, with @b.md")
    for name in ("b", "code", "fence", "x"):
        write(work / f"docs/{name}.md", name)
    write(work.parent / "notes.md", "mine")
    found = memory(work).load()
    assert names(found, work) == ["CLAUDE.md", "docs/a.md", "docs/b.md"]
    assert found.files[2].importer == str(work / "docs/a.md")
    assert [(one.importer, one.path) for one in found.outside] == [
        (str(work / "CLAUDE.md"), str(work.parent / "notes.md"))
    ]
    approved = frozenset({str(work.parent / "notes.md")})
    again = memory(work, approved=approved).load()
    assert [file.text for file in again.files][-1] == "mine"
    assert again.outside == ()


def test_what_is_outside_is_not_read_without_trust(work: Path) -> None:
    secret = write(work.parent / "notes.md", "mine")
    write(work / "CLAUDE.md", "@~/notes.md @../notes.md @/etc/hostname")
    found = memory(work, is_trusted=False, approved=frozenset()).load()
    assert names(found, work) == ["CLAUDE.md"]
    assert found.outside == ()
    assert sum("leads out of this folder" in problem for problem in found.problems) == 3
    (work / "docs").symlink_to(secret.parent)
    write(work / "CLAUDE.md", "@docs/notes.md")
    assert names(memory(work, is_trusted=False).load(), work) == ["CLAUDE.md"]


def test_a_link_in_the_project_is_an_import_from_outside(work: Path) -> None:
    write(work.parent / "notes.md", "mine")
    (work / "inner.md").symlink_to(work.parent / "notes.md")
    write(work / "CLAUDE.md", "@inner.md")
    found = memory(work).load()
    assert names(found, work) == ["CLAUDE.md"]
    assert [one.path for one in found.outside] == [str(work.parent / "notes.md")]


def test_cycles_are_named_and_depth_is_limited(work: Path) -> None:
    write(work / "CLAUDE.md", "@a.md @1.md")
    write(work / "a.md", "@b.md")
    write(work / "b.md", "@a.md")
    for number in range(1, 8):
        write(work / f"{number}.md", f"@{number + 1}.md")
    found = memory(work).load()
    assert names(found, work) == ["CLAUDE.md", "a.md", "b.md", "1.md", "2.md", "3.md", "4.md"]
    assert found.problems == (
        f"{work}/b.md: it imports itself: {work}/a.md → {work}/b.md → {work}/a.md; the import is left out",
        f"{work}/4.md: imports {work}/5.md, which would be the 5th in a row; left out",
    )


def test_secrets_and_what_rules_deny_are_not_imported(work: Path) -> None:
    write(work / ".env", "KEY=1")
    write(work / "private.md", "x")
    write(work / "CLAUDE.md", "@.env @private.md @missing.md @decorator")
    denied = {str(work / "private.md"): "`Read(private.md)` denies it"}
    found = memory(work, denied=denied.get).load()
    assert names(found, work) == ["CLAUDE.md"]
    assert [problem.partition(": imports ")[2] for problem in found.problems] == [
        f"{work}/.env: it may hold secrets; it is not read",
        f"{work}/private.md: `Read(private.md)` denies it; it is not read",
        "missing.md, which is not there",
    ]


def test_rules_count_at_once_or_when_such_a_file_was_worked_on(work: Path) -> None:
    claude = work.parent / ".claude"
    write(claude / "rules/mine.md", "Mine, always.")
    write(claude / "rules/py.md", '---\npaths: "*.py"\n---\nMine, for Python.')
    write(work / ".claude/rules/deep/all.md", "For all.")
    write(work / ".claude/rules/web.md", "---\npaths: web/**/*.{ts,tsx}, *.css\n---\nFor the web. @extra.md")
    write(work / ".claude/rules/extra.md", "Extra.")
    write(work / "CLAUDE.local.md", "local")
    held = memory(work)
    found = held.load()
    assert [file.text for file in found.files] == ["Mine, always.", "For all.", "Extra.", "local"]
    assert [rule.globs for rule in found.rules] == [("*.py",), ("web/**/*.{ts,tsx}", "*.css")]
    assert held.work_on([work / "lib/a.js"]).files == ()
    later = held.work_on([work / "web/x/a.tsx", work / "b.css"])
    assert [(file.text, file.reason) for file in later.files] == [("For the web. @extra.md", "path_glob_match")]
    assert held.work_on([work / "c.css"]).files == ()
    assert [file.text for file in held.work_on([work / "lib/a.py"]).files] == ["Mine, for Python."]


def test_rules_that_are_links_out_of_the_project_are_asked_about(work: Path) -> None:
    shared = write(work.parent / "shared/style.md", "Style.")
    (work / ".claude/rules").mkdir(parents=True)
    (work / ".claude/rules/style.md").symlink_to(shared)
    assert [one.path for one in memory(work).load().outside] == [str(shared)]
    assert memory(work, is_trusted=False).load().files == ()
    found = memory(work, approved=frozenset({str(shared)})).load()
    assert [file.text for file in found.files] == ["Style."]


def test_memory_of_folders_below_counts_when_something_there_was_worked_on(work: Path) -> None:
    write(work / "CLAUDE.md", "top")
    write(work / "sub/CLAUDE.md", "sub")
    write(work / "sub/deep/AGENTS.md", "deep")
    write(work / "sub/deep/.claude/rules/r.md", "---\npaths: '*.c'\n---\nrule")
    held = memory(work)
    assert [file.text for file in held.load().files] == ["top"]
    found = held.work_on([work / "sub/deep/x.py"])
    assert [(file.text, file.reason) for file in found.files] == [
        ("sub", "nested_traversal"),
        ("deep", "nested_traversal"),
    ]
    assert held.work_on([work / "sub/y.py"]).files == ()
    assert [file.text for file in held.work_on([work / "sub/deep/x.c"]).files] == ["rule"]


def test_files_can_be_excluded_and_policies_come_first(work: Path, tmp_path: Path) -> None:
    write(work / "CLAUDE.md", "top")
    write(work / ".claude/CLAUDE.md", "hidden")
    policy = write(tmp_path / "policy/CLAUDE.md", "policy")
    found = memory(work, policies=(policy,), excludes=("**/.claude/CLAUDE.md",)).load()
    assert [file.text for file in found.files] == ["policy", "top"]


def test_of_the_models_notes_the_beginning_is_read(work: Path, tmp_path: Path) -> None:
    notes = write(tmp_path / "notes/MEMORY.md", "".join(f"line {number}\n" for number in range(300)))
    (file,) = memory(work, notes=notes).load().files
    assert file.kind == "Auto"
    assert file.text.splitlines()[-1] == "line 199"
    assert file.is_cut
    (tmp_path / "link.md").symlink_to(notes)
    assert memory(work, notes=tmp_path / "link.md").load().files == ()
