"""What a fence costs: laws of tokens and time, from the bench's own machines and the rates of a user's faults."""
