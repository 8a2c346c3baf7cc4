"""Looking into a tree: candidate questions and the importance of columns."""
