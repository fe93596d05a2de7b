"""What engines reserve for a request beside what it holds: modules by engine."""
