"""What engines reserve for a request beside what it holds: one module for each engine's rules."""
