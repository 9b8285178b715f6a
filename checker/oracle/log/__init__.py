"""The event log, version 1: its ops and fields, its lines, and where lines come from."""
