import heapq
from collections import Counter
from typing import List


class Solution:
    def moving_median(self, readings: List[int], width: int) -> List[float]:
        # Two heaps of (key, index); what has left the window is dropped when it comes to the top.
        lower, upper = [], []
        in_lower = [False] * len(readings)
        sizes = Counter()
        result = []

        def trim(first):
            while lower and lower[0][1] < first:
                heapq.heappop(lower)
            while upper and upper[0][1] < first:
                heapq.heappop(upper)

        for i, value in enumerate(readings):
            first = i - width + 1
            if first > 0:
                sizes[in_lower[first - 1]] -= 1
            trim(first)
            if lower and value <= -lower[0][0]:
                heapq.heappush(lower, (-value, i))
                in_lower[i] = True
            else:
                heapq.heappush(upper, (value, i))
            sizes[in_lower[i]] += 1
            while True:
                trim(first)
                if sizes[True] > sizes[False] + 1:
                    key, at = heapq.heappop(lower)
                    heapq.heappush(upper, (-key, at))
                    in_lower[at] = False
                    sizes[True] -= 1
                    sizes[False] += 1
                elif sizes[False] > sizes[True]:
                    key, at = heapq.heappop(upper)
                    heapq.heappush(lower, (-key, at))
                    in_lower[at] = True
                    sizes[True] += 1
                    sizes[False] -= 1
                else:
                    break
            if first >= 0:
                if width % 2:
                    result.append(float(-lower[0][0]))
                else:
                    result.append((upper[0][0] - lower[0][0]) / 2)
        return result
