"""Entry point of the `tui-agent` command and of `python -m tui_agent`."""

import sys


def main() -> None:
    """Run the command line and exit with its code."""
    from tui_agent.cli import run  # after the interpreter is up: `--version` and shell completion need nothing else

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
