"""Scenarios and the user's catalogue entries, kept in SQLite."""
