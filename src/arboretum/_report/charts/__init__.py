"""Small charts as SVG. They take their colours from the style sheet, so that they suit light and dark."""
