"""Edit: replace text in a file, reviewed before it is written."""
