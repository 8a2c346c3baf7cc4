"""Statistical stopping: a question is asked only if so good a one would hardly be found by chance."""
