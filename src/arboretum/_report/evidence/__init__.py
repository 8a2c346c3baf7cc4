"""What is worked out about a model for its report: each piece once, and only when a section asks for it."""
