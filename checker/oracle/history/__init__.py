"""Concurrent histories: is there an order of the calls that the judge allows?"""
