"""The judging of a change: decisions hunk by hunk, files, edits in place, patches."""
