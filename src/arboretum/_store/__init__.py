"""Trees and models in files: JSON that is safe to open."""
