"""Explores machines of one shared part and interchangeable units; knows nothing of ledgers."""
