"""Skills in a session: the current set, the list that the model gets, and what an invocation does.

Imports the skills themselves, the permission rules and hooks, and what runs tools; knows nothing of turns or of the queue.
"""

from __future__ import annotations
