"""Pure functions from counted bytes and FLOPs to seconds, each a page of a textbook."""
