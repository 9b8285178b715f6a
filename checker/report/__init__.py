"""What is found, told: text, pictures, traces, formats for other programs."""
