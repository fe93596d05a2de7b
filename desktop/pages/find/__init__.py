"""Find hardware for a need, and models for a device: limits, ranked table, what was ruled out, chart, reasons."""
