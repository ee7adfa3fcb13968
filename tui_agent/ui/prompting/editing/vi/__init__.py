"""The keys of vi, on a text without a screen.

Imports `editing/` around it.
"""

from tui_agent.ui.prompting.editing.vi.machine import Vi
from tui_agent.ui.prompting.editing.vi.steps import Mode, ViRequest, ViStep

__all__ = ["Mode", "Vi", "ViRequest", "ViStep"]
