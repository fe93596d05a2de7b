"""Fits the speed parameters to the shared measurements, and tells how well a source never seen is predicted."""
