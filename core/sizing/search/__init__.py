"""Find hardware for a need, and models for a device: candidates, proven bounds, full sizings, ranking, reasons."""
