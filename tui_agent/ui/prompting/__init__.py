"""What helps a user write: files, commands, history, folded pastes, pictures, and the keys of vi and readline."""
