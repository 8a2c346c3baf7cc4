"""Growth and pruning as a list of steps: what every node could have asked, what it asked, and why."""
