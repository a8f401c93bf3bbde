"""How the tests are chosen, ordered, packed and reported: pytest plugins, one thought each."""
