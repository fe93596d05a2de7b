"""size() and its result, series for charts, and what follows from them."""
