"""NotebookEdit: replace, insert and delete cells of a Jupyter notebook."""
