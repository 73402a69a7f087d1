"""Readers of tables: CSV files and workbooks."""
