"""Growing: rows in, tree out. The core searches; statistical tests can stop it early."""
