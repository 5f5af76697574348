def left_to_right(expression: str) -> int:
