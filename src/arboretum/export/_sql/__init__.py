"""A tree as an SQL query."""
