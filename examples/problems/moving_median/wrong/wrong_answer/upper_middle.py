# An even window has two readings in its middle.
from bisect import bisect_left, insort


def moving_median(readings, width):
    window = sorted(readings[:width])
    medians = [float(window[width // 2])]
    for old, new in zip(readings, readings[width:]):
        del window[bisect_left(window, old)]
        insort(window, new)
        medians.append(float(window[width // 2]))
    return medians
