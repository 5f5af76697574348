def moving_median(readings, width):
    """A tree of counts over the ranks of the values; the k-th smallest is found by going down it."""
    values = sorted(set(readings))
    rank = {value: at for at, value in enumerate(values, 1)}
    top = 1 << len(values).bit_length()
    tree = [0] * (top + 1)

    def add(at, count):
        while at <= top:
            tree[at] += count
            at += at & -at

    def kth(k):
        at, step = 0, top
        while step:
            if at + step <= top and tree[at + step] < k:
                at += step
                k -= tree[at]
            step >>= 1
        return values[at]

    medians = []
    for i, value in enumerate(readings):
        add(rank[value], 1)
        if i >= width:
            add(rank[readings[i - width]], -1)
        if i >= width - 1:
            middle = kth((width + 1) // 2)
            medians.append(float(middle) if width % 2 else (middle + kth(width // 2 + 1)) / 2)
    return medians
