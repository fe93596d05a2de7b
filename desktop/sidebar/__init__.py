"""The sidebar: search, pages, the scenarios by client, and what is saved."""
