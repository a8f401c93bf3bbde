"""The proof of rendered configurations, from text alone: their language and their meaning."""
