# Sorts every window.
def moving_median(readings, width):
    low, high = (width - 1) // 2, width // 2
    medians = []
    for i in range(len(readings) - width + 1):
        window = sorted(readings[i : i + width])
        medians.append((window[low] + window[high]) / 2)
    return medians
