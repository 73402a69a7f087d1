"""Practice: `respond` returns the response to a request, without HTTP and files. A server or a static
website calls it.
"""
