"""The commands, one per module. A module imports what does the work only when its command runs."""
