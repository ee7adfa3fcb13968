"""A recorded session on the screen: the journal's events through the same bus, projection and panes as a live one.

Imports the app, the projection and `journal/`; nothing of the engine runs.
"""

from tui_agent.ui.replay.player import Player
from tui_agent.ui.replay.recording import draw_svg, load, picture, replay_app

__all__ = ["Player", "draw_svg", "load", "picture", "replay_app"]
