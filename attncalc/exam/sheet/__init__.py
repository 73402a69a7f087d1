"""The exam sheet: its keys, its questions and its layout."""
