"""A local page on which a person steps through a model: every choice, its answer, what it would break."""
