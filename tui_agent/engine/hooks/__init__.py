"""When hooks run, what they are given, and what their answers change."""
