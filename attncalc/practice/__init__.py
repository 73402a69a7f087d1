"""Practice: `respond` returns the response to a request, without HTTP and files, for a server or a website."""
