def free_gaps(day, bookings, need):
    changes = {0: 0, day: 0}
    for start, end in bookings:
        changes[start] = changes.get(start, 0) + 1
        changes[end] = changes.get(end, 0) - 1
    gaps, taken, since = [], 0, 0
    for minute in sorted(changes):
        if taken == 0 and (changes[minute] > 0 or minute == day):
            if minute - since >= need:
                gaps.append([since, minute])
        was, taken = taken, taken + changes[minute]
        if was and taken == 0:
            since = minute
    return gaps
