"""The command line: one file a verb. It parses, calls and prints."""
