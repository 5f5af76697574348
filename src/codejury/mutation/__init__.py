"""Values, input texts and programs changed in small steps, without a model: pure functions of a seed; nothing runs."""
