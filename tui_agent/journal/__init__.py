"""The record of a session: one file of JSON lines, appended as things happen, repaired and taken up again."""
