from typing import List


class Solution:
    def free_gaps(self, day: int, bookings: List[List[int]], need: int) -> List[List[int]]:
        merged: List[List[int]] = []
        for start, end in sorted(map(tuple, bookings), key=lambda one: (one[0], -one[1])):
            if merged and start <= merged[-1][1]:
                merged[-1][1] = max(merged[-1][1], end)
            else:
                merged.append([start, end])
        ends = [0] + [end for _, end in merged]
        starts = [start for start, _ in merged] + [day]
        return [[a, b] for a, b in zip(ends, starts) if b - a >= need]
