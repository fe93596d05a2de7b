"""A list at the foot of the results: a few lines until all are asked for, one line where the window is small."""

LINK = 28  # height of the head
