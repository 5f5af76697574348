# Takes the middle of the window as it stands.
def moving_median(readings, width):
    low, high = (width - 1) // 2, width // 2
    return [(readings[i + low] + readings[i + high]) / 2 for i in range(len(readings) - width + 1)]
