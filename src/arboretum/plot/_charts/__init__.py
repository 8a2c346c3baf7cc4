"""Charts of models and experiments: one function each, on matplotlib's axes."""
