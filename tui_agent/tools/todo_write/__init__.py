"""The TodoWrite tool."""
