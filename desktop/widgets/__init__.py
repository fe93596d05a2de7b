"""Small parts of the window: they know their own value, the theme, and nothing of sizing."""
