# Leaves out the last window.
def moving_median(readings, width):
    medians = []
    for i in range(len(readings) - width):
        window = sorted(readings[i : i + width])
        medians.append((window[(width - 1) // 2] + window[width // 2]) / 2)
    return medians
