"""The sentences of solutions, reports and lists."""
