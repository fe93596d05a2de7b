"""Fits `resources/calibration/parameters.json` to the shared measurements, and tells how well a source never seen is met."""
