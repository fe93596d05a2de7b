"""The bill of materials: its lines as fields, their prices with source and age, and what they come to."""
