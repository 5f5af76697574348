"""One reading, a window of all of them, of one, of two, equal and sorted readings, halves."""
import json

far = 10**9
cases = [
    ([0], 1),
    ([1, 2], 2),
    ([1, 2], 1),
    ([far, far], 2),
    ([-far, -far - 0, far], 2),
    ([-3, 0, 0, -4], 4),
    ([5] * 20, 7),
    (list(range(30)), 4),
    (list(range(30, 0, -1)), 5),
    ([3, 1, 2, 3, 1, 2, 3], 7),
    ([-1, 0, -1, 0, -1], 2),
]
print([f"{json.dumps(readings)}\n{width}" for readings, width in cases])
