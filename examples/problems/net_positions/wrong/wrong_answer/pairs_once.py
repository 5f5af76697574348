# A dictionary by giver and taker keeps only the last transfer of each two.
def net_positions(transfers):
    last = {(giver, taker): cents for giver, taker, cents in transfers}
    net = {}
    for (giver, taker), cents in last.items():
        net[giver] = net.get(giver, 0) + cents
        net[taker] = net.get(taker, 0) - cents
    return {name: cents for name, cents in net.items() if cents}
