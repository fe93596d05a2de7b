"""From a sizing to a PDF that a client can check."""
