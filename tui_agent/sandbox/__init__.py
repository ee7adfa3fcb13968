"""Running a command with fewer rights than the user has, by what the operating system offers."""
