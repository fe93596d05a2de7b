"""What exists: devices, links, models, formats, engines and prices, each figure with its source."""
