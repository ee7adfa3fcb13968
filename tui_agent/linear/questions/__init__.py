"""What the engine asks the user: may a call run, which hunks of a change, is a plan good, a form. One module each.

Each asks one question and returns what settles it; `answers` has what they share, `queue` what waits. They import `asker`, the
words for lines, commands and queries; but for `queue`, none imports another.
"""
