"""Logs: the verdict on one, how it is told and drawn."""
