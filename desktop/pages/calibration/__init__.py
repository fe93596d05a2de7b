"""The page on which a user's own measurement narrows a prediction."""
