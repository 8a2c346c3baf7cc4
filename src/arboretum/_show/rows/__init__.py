"""Rows of a data set in the nodes of a tree: how many, how their values are spread, and the path of one."""
