"""Searching files: ripgrep, path globs, and where a search begins."""
