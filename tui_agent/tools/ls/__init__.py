"""LS: list a folder."""
