"""Searches over any machine, the plain explorer among them."""
