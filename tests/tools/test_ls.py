"""LS lists a folder level by level, without what is ignored, and says how much more there is."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from processes import gone
from tool_bench import Bench

from tui_agent.tools.ls.sizes import size_text
from tui_agent.tools.ls.tool import LIMIT
from tui_agent.tools.ls.tree import Folder, grow, take
from tui_agent.tools.shared_search import ripgrep


@pytest.fixture
def runtime(tmp_path: Path) -> Bench:
    runtime = Bench(tmp_path)
    runtime.write("src/cart.py", "x" * 1234, is_read=False)
    runtime.write("src/deep/er/a.py", "", is_read=False)
    runtime.write("README.md", "hello\n", is_read=False)
    runtime.write("build/out.py", "x", is_read=False)
    runtime.write(".gitignore", "build/\n*.log\n", is_read=False)
    runtime.write("x.log", "x", is_read=False)
    runtime.write(".git/HEAD", "x", is_read=False)
    (runtime.folder / "empty").mkdir()
    (runtime.folder / "link").symlink_to("src/cart.py")
    (runtime.folder / "away").symlink_to("/nowhere")
    return runtime


async def text(runtime: Bench, **input: object) -> str:
    ran = await runtime.run("LS", input)
    assert not ran.is_error, ran.text
    json.dumps(ran.data, ensure_ascii=False).encode()
    return ran.text


async def test_a_folder_is_a_tree_with_sizes_links_and_empty_folders(runtime: Bench) -> None:
    assert await text(runtime) == (
        f"{runtime.folder}/\n"
        "  empty/  (empty)\n"
        "  src/\n"
        "    deep/\n"
        "      er/\n"
        "        a.py  0 B\n"
        "    cart.py  1.2 KB\n"
        "  .gitignore  13 B\n"
        "  away -> /nowhere\n"
        "  link -> src/cart.py\n"
        "  README.md  6 B"
    )


async def test_one_level_counts_what_is_below(runtime: Bench) -> None:
    ran = await runtime.run("LS", {"depth": 1, "path": "src"})
    assert ran.text == f"{runtime.folder}/src/\n  deep/  (1 file)\n  cart.py  1.2 KB"
    assert ran.data["entries"] == [
        {"name": "deep", "kind": "folder", "depth": 0, "files": 1},
        {"name": "cart.py", "kind": "file", "depth": 0, "size": 1234},
    ]


async def test_what_is_to_be_left_out_is(runtime: Bench) -> None:
    assert (
        await text(runtime, ignore=["src", "*.md", "link", "/away", "emp*/", ".gitignore"])
        == f"{runtime.folder}/\n  (empty)"
    )
    assert "deep" not in await text(runtime, ignore=["deep/"])
    assert "cart.py" in await text(runtime, ignore=["/cart.py"])


async def test_a_folder_in_which_all_is_ignored_is_listed_all_the_same(runtime: Bench) -> None:
    runtime.write(".gitignore", "build/**\n")
    listed = await text(runtime, path="build")
    assert listed.startswith(f"{runtime.folder}/build/\n  out.py  1 B\n[Everything here is ignored")
    assert "build" not in await text(runtime)


async def test_more_than_the_limit_is_counted_and_wide_folders_stay_closed(runtime: Bench) -> None:
    for number in range(LIMIT):
        runtime.write(f"wide/{number}.txt", "", is_read=False)
    ran = await runtime.run("LS", {"ignore": [".gitignore"]})
    assert f"  wide/  ({LIMIT} files)\n" in ran.text
    assert "cart.py  1.2 KB" in ran.text, "the others are open"
    assert ran.text.splitlines()[-1].startswith(f"… and {LIMIT} more")
    runtime.write("wide/more.txt", "", is_read=False)
    ran = await runtime.run("LS", {"path": "wide"})
    assert (len(ran.data["entries"]), ran.data["moreEntries"]) == (LIMIT, 1)
    assert ran.text.splitlines()[-1].startswith("… and 1 more")


async def test_denied_names_are_not_told(tmp_path: Path) -> None:
    runtime = Bench(tmp_path, denied={"secret.env": "Read(secret.env)", "vault": "Read(vault)"})
    for name in ("secret.env", "open.env", "vault/key"):
        runtime.write(name, "", is_read=False)
    assert await text(runtime) == f"{tmp_path}/\n  open.env  0 B"
    assert (await runtime.run("LS", {"path": "vault"})).code == "denied_path"


async def test_what_is_no_folder_and_no_glob_is_refused(runtime: Bench) -> None:
    assert (await runtime.run("LS", {"path": "README.md"})).code == "not_folder"
    assert (await runtime.run("LS", {"path": "READMEE"})).code == "missing"
    assert (await runtime.run("LS", {"path": " "})).code == "bad_path"
    assert (await runtime.run("LS", {"ignore": ["a\nb"]})).code == "bad_glob"
    assert "parsing glob '*.{py': unclosed alternate group" in (await runtime.run("LS", {"ignore": ["*.{py"]})).text


async def test_listing_is_cut_off_and_cancelled_cleanly(runtime: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    pid = runtime.folder / "pid"
    program = runtime.write(
        "rg", f"#!/bin/sh\necho $$ > {pid}\nprintf './README.md\\000'\nexec sleep 60\n", is_read=False
    )
    program.chmod(0o755)
    monkeypatch.setattr(ripgrep, "find_ripgrep", lambda: str(program))
    task = asyncio.create_task(runtime.run("LS", {}))
    while not (pid.exists() and pid.read_text().strip()):
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await gone(int(pid.read_text()))
    runtime.limits = runtime.limits.__class__(search_timeout_s=0.3)
    ran = await runtime.run("LS", {})
    assert "README.md" in ran.text
    assert (ran.text.splitlines()[-1].startswith("[It took too long"), ran.data["timedOut"]) == (True, True)
    await gone(int(pid.read_text()))


PATHS = st.lists(
    st.lists(st.sampled_from(["a", "b", "c", "d"]), min_size=1, max_size=4).map("/".join), max_size=30, unique=True
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(paths=PATHS, limit=st.integers(1, 12))
def test_every_file_is_shown_or_counted(tmp_path_factory: pytest.TempPathFactory, paths: list[str], limit: int) -> None:
    top = tmp_path_factory.mktemp("tree")
    files = {path for path in paths if not any(other.startswith(path + "/") for other in paths)}
    for path in files:
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text("")
    root = Folder()
    take(root, [os.fsencode(path) for path in files])
    listing = grow(
        root, str(top), os.path.realpath(top), limit=limit, depth=None, ignore=(), is_hidden=lambda _path: False
    )
    assert len(listing.entries) <= limit
    shown = sum(entry.kind == "file" for entry in listing.entries)
    cut_folders = len(list(top.iterdir())) - sum(entry.depth == 0 for entry in listing.entries)
    assert shown <= len(files) <= shown + listing.left_out
    if not cut_folders:
        assert shown + listing.left_out == len(files)


def test_sizes_have_their_unit() -> None:
    sizes = [0, 999, 1000, 1234, 20_000, 5_000_000, 3 * 1024**3, 1024**5]
    assert [size_text(size) for size in sizes] == [
        "0 B", "999 B", "1.0 KB", "1.2 KB", "20 KB", "4.8 MB", "3.0 GB", "1024.0 TB",
    ]  # fmt: skip


async def test_a_folder_without_any_file_is_not_called_ignored(runtime: Bench) -> None:
    (runtime.folder / "bare/inner").mkdir(parents=True)
    (runtime.folder / "bare/link").symlink_to("inner")
    assert await text(runtime, path="bare") == f"{runtime.folder}/bare/\n  inner/  (empty)\n  link -> inner"
    assert await text(runtime, path="empty") == f"{runtime.folder}/empty/\n  (empty)"


async def test_ignored_links_and_empty_folders_are_left_out(runtime: Bench) -> None:
    runtime.write(".gitignore", "# links\nbazel-*\n/spool/\n*.tmp\n!keep.tmp\n", is_read=False)
    runtime.write("src/.gitignore", "cache\r\n", is_read=False)
    for link in ("bazel-out", "src/bazel-bin", "a.tmp", "keep.tmp", "src/cache"):
        (runtime.folder / link).symlink_to("README.md")
    for folder in ("spool", "src/spool", "bazel-x"):
        (runtime.folder / folder).mkdir()
    listed = await text(runtime)
    assert "bazel" not in listed
    assert listed.count("spool/  (empty)") == 1, "only the one at the top is ignored"
    assert ("a.tmp" in listed, "keep.tmp ->" in listed, "cache" in listed) == (False, True, False)
    # A folder below is under the rules of its repository too.
    assert await text(runtime, path="src", depth=1) == (
        f"{runtime.folder}/src/\n  deep/  (1 file)\n  spool/  (empty)\n  .gitignore  7 B\n  cart.py  1.2 KB"
    )


# The superuser may list every folder; without these two capabilities it may not.
_BOUND = "-dac_override,-dac_read_search"
_AS_ANYBODY = ["setpriv", f"--bounding-set={_BOUND}", f"--inh-caps={_BOUND}"] if os.geteuid() == 0 else []
_LISTS = """
import asyncio, json, sys
from pathlib import Path
from tool_bench import Bench

async def main() -> None:
    bench = Bench(Path(sys.argv[1]))
    for path in sys.argv[2:]:
        ran = await bench.run("LS", {"path": path})
        print(json.dumps([ran.is_error, ran.text]))

asyncio.run(main())
"""


@pytest.mark.skipif(_AS_ANYBODY != [] and shutil.which("setpriv") is None, reason="the superuser may list everything")
def test_a_folder_that_may_not_be_listed_says_so(runtime: Bench) -> None:
    for name, mode in (("shut", 0o000), ("unlisted", 0o100), ("unsearched", 0o400)):
        runtime.write(f"{name}/in.py", "x", is_read=False)
        (runtime.folder / name).chmod(mode)
    paths = [".", *(str(runtime.folder / name) for name in ("shut", "unlisted", "unsearched"))]
    try:
        done = subprocess.run(
            [*_AS_ANYBODY, sys.executable, "-c", _LISTS, str(runtime.folder), *paths],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
    finally:
        for name in ("shut", "unlisted", "unsearched"):
            (runtime.folder / name).chmod(0o700)
    assert done.returncode == 0, done.stderr
    (is_error, whole), *each = map(json.loads, done.stdout.splitlines())
    assert not is_error
    for name in ("shut", "unlisted"):
        assert f"\n  {name}/  (permission denied)\n" in whole
    assert "\n  unsearched/\n    in.py  (permission denied)\n" in whole
    assert "  README.md" in whole
    assert [is_error for is_error, _ in each] == [True] * 3
    assert all(text.endswith(" cannot be listed: permission denied.") for _, text in each)


async def test_folders_nested_thousands_deep_are_listed_as_far_as_they_fit(runtime: Bench) -> None:
    for name, is_file in (("bare", False), ("full", True)):
        at = os.open(runtime.workspace.root, os.O_RDONLY)
        for _ in range(3000):
            os.mkdir(name, dir_fd=at)
            below = os.open(name, os.O_RDONLY, dir_fd=at)
            os.close(at)
            at = below
        if is_file:
            os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=at))
        os.close(at)
    for input in ({}, {"path": "bare"}, {"path": "full"}):
        ran = await runtime.run("LS", input)
        assert not ran.is_error, ran.text
    # Python's own way to take them away goes no deeper than its calls may.
    subprocess.run(["rm", "-rf", runtime.folder / "bare", runtime.folder / "full"], check=True)
