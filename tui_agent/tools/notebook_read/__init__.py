"""NotebookRead: show cells of a Jupyter notebook."""
