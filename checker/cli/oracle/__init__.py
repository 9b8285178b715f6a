"""The commands of the oracle: replay, linearize, drive, vectors, and the audit of rows."""
