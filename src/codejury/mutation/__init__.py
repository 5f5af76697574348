"""Making values, texts and programs without a model: pure, deterministic by seed, and running nothing."""
