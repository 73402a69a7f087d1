"""Whole papers: a sheet of questions, a variant of it for every student, papers, solutions and the key that
marks them.
"""
