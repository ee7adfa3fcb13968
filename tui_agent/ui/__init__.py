"""The app: a screen that is a projection of the engine's events, and the keys that give it commands.

Imports everything below the front ends, and textual; never `headless/`. Private names of Textual are for `textual_patches/`
alone.
"""
