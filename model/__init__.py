"""The machines, the fences and the promises. Nothing in here searches."""
