def free_gaps(day: int, bookings: list[list[int]], need: int) -> list[list[int]]:
