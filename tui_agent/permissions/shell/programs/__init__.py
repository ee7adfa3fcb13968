"""What is known of programs: which calls of which of them only look, and which do nothing but change the files they name.

Imports `permissions/shell/` around it.
"""

from tui_agent.permissions.shell.programs.judge import judge_program

__all__ = ["judge_program"]
