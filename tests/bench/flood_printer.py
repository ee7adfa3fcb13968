"""Prints numbered, coloured lines: so many megabytes, in so many seconds, and then exits with 3.

    python flood_printer.py MEGABYTES SECONDS

With 0 seconds it prints as fast as it is read.
"""

from __future__ import annotations

import sys
import time

LINE = b"\x1b[32mok\x1b[0m %9d some test that has passed, and what it had to say about it ............\n"
PIECE = 1000  # lines


def main(megabytes: int, seconds: float) -> int:
    """Print and return the exit code."""
    out = sys.stdout.buffer
    total, number, began = megabytes * 1_000_000, 0, time.monotonic()
    written = 0
    while written < total:
        data = b"".join(LINE % (number + at) for at in range(PIECE))
        number += PIECE
        out.write(data)
        out.flush()
        written += len(data)
        ahead = began + seconds * written / total - time.monotonic()
        if ahead > 0:
            time.sleep(ahead)
    out.write(b"the very last line\n")
    return 3


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), float(sys.argv[2])))
