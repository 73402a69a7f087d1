"""Practice: `respond` turns a request into a response without HTTP and files; a server or a static site calls it."""
