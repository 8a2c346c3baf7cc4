"""The parts of a plane that belong to the leaves of a tree, computed exactly and drawn."""
