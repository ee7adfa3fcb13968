"""The embedded model: a server on loopback that plays scenarios, and the sample projects they work on.

Started by `--demo`, and by the black-box tests with scenarios of their own. Imports `model/side_question` and `media`, nothing
else of the program.
"""
