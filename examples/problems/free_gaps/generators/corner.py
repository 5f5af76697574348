"""Nothing booked, all booked, bookings inside others and end to end, gaps of exactly the need."""
import json

cases = [
    (1, [], 1),
    (1, [[0, 1]], 1),
    (10, [[0, 10], [2, 3]], 1),
    (20, [[2, 15], [3, 5]], 1),
    (20, [[0, 5], [5, 10]], 1),
    (20, [[10, 20], [0, 5]], 5),
    (20, [[10, 20], [0, 5]], 6),
    (20, [[4, 6], [4, 6], [4, 5]], 4),
    (20, [[0, 15]], 5),
    (20, [[5, 20]], 5),
    (10**9, [[10**9 - 1, 10**9], [0, 1]], 10**9 - 2),
]
print([f"{day}\n{json.dumps(bookings)}\n{need}" for day, bookings, need in cases])
