"""The strict mode: the answers of one given fence."""
