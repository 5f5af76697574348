# A gap of exactly the need will do.
def free_gaps(day, bookings, need):
    gaps, free_from = [], 0
    for start, end in sorted(bookings) + [[day, day]]:
        if start - free_from > need:
            gaps.append([free_from, start])
        free_from = max(free_from, end)
    return gaps
