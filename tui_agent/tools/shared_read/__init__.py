"""Reading files of every kind for the model: images, documents and notebooks, and what of them is kept for the next time.

Imports `tools/` around it and `media`.
"""
