"""The command line, one file a verb: the only room that prints."""
