"""Code of the user's own that is heard before and after tool uses, and at other moments of a session."""
