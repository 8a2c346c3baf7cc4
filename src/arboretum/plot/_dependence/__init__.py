"""Charts of partial dependence: what is drawn, its places along the axes, lines and heat maps."""
