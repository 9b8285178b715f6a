"""What is promised, how it is judged, and what a search owes before its pass means anything."""
