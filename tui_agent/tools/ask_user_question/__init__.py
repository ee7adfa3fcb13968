"""The AskUserQuestion tool."""
