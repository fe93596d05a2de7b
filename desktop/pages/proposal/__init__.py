"""The proposal: choices at the left, live pages at the right."""
