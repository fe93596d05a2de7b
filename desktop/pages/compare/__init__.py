"""Compare: two to four scenarios side by side."""
