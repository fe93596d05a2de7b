"""Tonnage's window: edits a Scenario, shows a Sizing; nothing is computed here."""
