"""Bash: run a command in a fresh shell."""
