"""A tree as a picture that other tools open: SVG, HTML, DOT and Mermaid."""
