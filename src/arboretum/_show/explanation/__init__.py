"""Why a tree predicts what it predicts for one row: as a value, as text and as HTML."""
