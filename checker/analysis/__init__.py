"""Questions about fences, answered by searches: functions that return values, print nothing, are handed a watch."""
