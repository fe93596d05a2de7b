"""What a sized deployment costs: what is bought, what it draws, what a year and a token of it cost, and elsewhere."""
