"""The catalogue page: every record with all its figures, to look up, copy, change and use."""
