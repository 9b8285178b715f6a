"""Runs of the model in the words of the log: test vectors, and requests that drive a process."""
