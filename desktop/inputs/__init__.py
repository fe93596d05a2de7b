"""The inputs column: what the user chooses, section by section."""
