"""The words of screens that tell how things stand."""
