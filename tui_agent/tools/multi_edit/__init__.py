"""MultiEdit: edits of several files as one change, written whole or not at all."""
