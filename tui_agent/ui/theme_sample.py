"""What a theme looks like: some code, a change to it, and the states of tools, in the colours that count just now."""

from __future__ import annotations

from typing import Final

from tui_agent.changes import FileChange
from tui_agent.viewkit.code import CodeView
from tui_agent.viewkit.diff import DiffView
from tui_agent.viewkit.runs import Run, add_runs
from tui_agent.viewkit.stacking import stack
from tui_agent.viewkit.view import LinesBuilder, Rendered, RenderState

__all__ = ["ThemeSample"]

_CODE: Final = '''\
@cached
def total(lines: list[Decimal]) -> Decimal:
    """Amounts stay exact."""
    return sum(lines, Decimal("0.00"))  # rounded once
'''
_BEFORE: Final = "def pay(amount):\n    return round(amount, 2)\n"
_AFTER: Final = "def pay(amount):\n    return amount.quantize(CENT)\n"


class ThemeSample:
    """A view of what matters most in a conversation."""

    def render(self, width: int, state: RenderState) -> Rendered:
        """Return the sample."""
        palette = state.palette
        words = LinesBuilder()
        add_runs(words, (Run("❯ ", palette.user), Run("what you say", palette.user)), width)
        add_runs(
            words,
            (
                Run("what the model says, ", palette.text),
                Run("a `name`", palette.code),
                Run(", ", palette.text),
                Run("a link", palette.link),
            ),
            width,
        )
        states = LinesBuilder()
        for sign, word, style in (
            ("✓", "done", palette.success),
            ("⠹", "running", palette.running),
            ("◷", "waits for you", palette.waiting),
            ("✗", "failed", palette.error),
        ):
            add_runs(states, (Run(f"{sign} ", style), Run(word, palette.text), Run("  0.2s", palette.muted)), width)
        gap = LinesBuilder()
        add_runs(gap, (Run("", palette.text),), width)
        change = FileChange.between("pay.py", _BEFORE, _AFTER)
        parts = [
            words.build(),
            gap.build(),
            CodeView(_CODE, language="python", has_numbers=False).render(width, state),
            gap.build(),
            DiffView(change, layout="unified").render(width, state),
            gap.build(),
            states.build(),
        ]
        return stack(parts)
