"""Running a command with fewer rights than the person has, by what the operating system offers."""
