# Does not sort.
def free_gaps(day, bookings, need):
    gaps, free_from = [], 0
    for start, end in bookings + [[day, day]]:
        if start - free_from >= need:
            gaps.append([free_from, start])
        free_from = max(free_from, end)
    return gaps
