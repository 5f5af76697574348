# Looks for each name in a list.
def net_positions(transfers):
    names, sums = [], []
    for giver, taker, cents in transfers:
        for name, change in ((giver, cents), (taker, -cents)):
            if name not in names:
                names.append(name)
                sums.append(0)
            sums[names.index(name)] += change
    return {name: cents for name, cents in zip(names, sums) if cents}
