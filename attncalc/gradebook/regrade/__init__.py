"""Marking a class again with a changed answer key."""
