"""Linear mode: the whole program as lines of text, without a screen. For screen readers, dumb terminals and logs.

What is written is text and line breaks: nothing moves the cursor, nothing is drawn twice. What is typed is read line by line,
as the terminal itself edits it. The engine is known by its boundary alone, as in the app: commands, queries and events.

`console` has the terminal; `reporter` makes lines of events; `questions/` asks what the engine asks; `slash` has the commands;
`session` is one session at the prompt; `startup` comes before it, `program` runs both. Nothing of `ui/` and no textual is
imported here; pieces that headless commands print are theirs.
"""
