"""Exams: an exam sheet, a variant for every student, papers, solutions, and the key with which scripts are marked."""
