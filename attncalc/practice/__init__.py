"""Practice: `respond`, one function from request to response, without HTTP and files; a server and a static site carry
them.
"""
