# Cuts each gap to what is needed.
def free_gaps(day, bookings, need):
    gaps, free_from = [], 0
    for start, end in sorted(bookings) + [[day, day]]:
        if start - free_from >= need:
            gaps.append([free_from, free_from + need])
        free_from = max(free_from, end)
    return gaps
