"""What the program asks of the terminal it runs in beyond drawing: keys, pastes, the clipboard, calls, other programs."""
