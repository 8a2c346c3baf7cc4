"""A tree as a picture: cards, charts and curves as marks, and marks as SVG."""
