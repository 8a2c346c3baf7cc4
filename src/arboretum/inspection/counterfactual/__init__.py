"""The nearest change of a row that changes what a tree predicts, found exactly."""
