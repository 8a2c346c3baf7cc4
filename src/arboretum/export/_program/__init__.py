"""The tree in terms of the outside world: what every export is written from."""
