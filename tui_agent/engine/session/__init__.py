"""One session: its configuration, the graph of collaborators, messages that wait, toggles, spending, settings that change."""
