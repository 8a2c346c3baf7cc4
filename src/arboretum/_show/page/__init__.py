"""The interactive page: one HTML file with its data and script."""
