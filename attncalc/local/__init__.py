"""A page on this machine for one person: the application on 127.0.0.1, requests as plain data, and what its pages
share (`attncalc practice`, `attncalc answers --page`).
"""
