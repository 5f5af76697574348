def moving_median(readings: list[int], width: int) -> list[float]:
