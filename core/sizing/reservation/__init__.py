"""What each engine reserves for a request: the recorders, one module for each engine's rules."""
