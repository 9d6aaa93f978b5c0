"""All seats of an event in one compact JSON document: its format and its cache."""
