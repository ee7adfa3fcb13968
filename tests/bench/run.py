"""Run the benchmarks, all or those named; print every number with its limit; exit 1 if one is missed.

    .venv/bin/python tests/bench/run.py [NAME...]    (the names stand below)

They want a machine that does nothing else. They are no part of the test suite.
"""

from __future__ import annotations

import importlib
import sys

import measuring  # puts the repository on the path, too

NAMES = (
    "decisions", "first_frame", "idle_app", "first_answer", "long_answer", "steady_answer",
    "many_agents", "many_turns", "long_transcript", "early_start", "diffs", "edits", "engine", "masking",
    "output_flood", "sandbox", "search", "file_search",
)  # fmt: skip


def main(names: list[str]) -> int:
    """Return the exit code: 0 when every limit is kept, 1 when one is missed, 2 for a name that is none."""
    if unknown := [name for name in names if name not in NAMES]:
        print(f"no benchmark {unknown[0]!r}; there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    print(f"five million additions take {measuring.loop_seconds():.2f} s here", flush=True)
    missed = 0
    for name in names or NAMES:
        for finding in importlib.import_module(name).measure():
            print(finding, flush=True)
            missed += not finding.is_met
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
