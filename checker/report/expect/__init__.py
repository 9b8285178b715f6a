"""What `expect` tells: text and JSON, pictures, a page."""
