"""Read: show a file with line numbers."""
