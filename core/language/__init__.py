"""Words and numbers for people: one message catalogue and one formatter for window, command line and proposal."""
