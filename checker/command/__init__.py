"""The command line: the only part of the checker that knows fences, bounds and shards."""
