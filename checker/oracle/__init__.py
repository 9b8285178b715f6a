"""The reference oracle: judges what other implementations answered, in logs, histories and committed rows."""
