"""Running a command with fewer rights than the user has, by what the operating system offers.

Imports modules beside the packages (`git_config`, `programs` and the like), nothing else of the program.
"""
