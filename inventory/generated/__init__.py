"""Sites made by numbers, for tests, benches and labs."""
