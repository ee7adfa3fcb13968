"""Skills in a session: which there are now, what the model is told of them, and what an invocation does.

Imports the skills themselves, the permission rules and hooks, and what runs tools; knows nothing of turns or of the queue.
"""

from __future__ import annotations
