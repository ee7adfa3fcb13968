"""The embedded model: a server on loopback that plays scenarios, and the sample projects they work on.

Started by `--demo`, and by the black-box tests with scenarios of their own. Nothing here knows the rest of the program.
"""
