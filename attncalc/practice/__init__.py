"""Practice: `respond`, from request to response without HTTP and files; a server and a static site carry them."""
