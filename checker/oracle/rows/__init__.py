"""Committed rows: are they a number?"""
