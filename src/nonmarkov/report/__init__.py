"""Pictures for readers; this is where matplotlib lives (extra `report`)."""
