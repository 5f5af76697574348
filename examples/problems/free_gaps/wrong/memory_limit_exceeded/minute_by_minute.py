# A place for each minute of the day.
def free_gaps(day, bookings, need):
    taken = [False] * (day + 1)
    for start, end in bookings:
        taken[start:end] = [True] * (end - start)
    taken[day] = True
    gaps, since = [], 0
    for minute in range(day + 1):
        if taken[minute]:
            if minute - since >= need:
                gaps.append([since, minute])
            since = minute + 1
    return gaps
