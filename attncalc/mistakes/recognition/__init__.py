"""Recognises the roles of steps by the forms of their formulas."""
