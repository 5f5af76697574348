from bisect import bisect_left, insort


def moving_median(readings, width):
    window = sorted(readings[:width])
    low, high = (width - 1) // 2, width // 2
    medians = [(window[low] + window[high]) / 2]
    for old, new in zip(readings, readings[width:]):
        del window[bisect_left(window, old)]
        insort(window, new)
        medians.append((window[low] + window[high]) / 2)
    return medians
