"""The rules, one module for each boundary. Each is a pure predicate on a request and what the boundary may look at."""
