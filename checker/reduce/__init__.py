"""Reductions: smaller machines that say the same, and the way back from their stories to whole runs."""
