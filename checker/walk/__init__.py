"""Walks: long random runs far beyond the bound of a search, shrunk and minimised where they break a promise."""
