# Cuts each booking out of every gap that there is so far.
def free_gaps(day, bookings, need):
    gaps = [[0, day]]
    for start, end in bookings:
        left = []
        for a, b in gaps:
            if end <= a or b <= start:
                left.append([a, b])
                continue
            if a < start:
                left.append([a, start])
            if end < b:
                left.append([end, b])
        gaps = left
    return [[a, b] for a, b in gaps if b - a >= need]
