"""Values, texts and programs changed on purpose: tests and wrong programs without a model. Runs nothing."""
