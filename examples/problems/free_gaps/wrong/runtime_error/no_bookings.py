# There may be no booking at all.
def free_gaps(day, bookings, need):
    bookings = sorted(bookings)
    gaps = []
    if bookings[0][0] >= need:
        gaps.append([0, bookings[0][0]])
    free_from = bookings[0][1]
    for start, end in bookings[1:] + [[day, day]]:
        if start - free_from >= need:
            gaps.append([free_from, start])
        free_from = max(free_from, end)
    return gaps
