"""Named rules: what a person should know about a sizing, and why it comes out as it does."""
