# Who only takes is not there.
def net_positions(transfers):
    net = {giver: 0 for giver, _, _ in transfers}
    for giver, taker, cents in transfers:
        net[giver] += cents
        if taker in net:
            net[taker] -= cents
    return {name: cents for name, cents in net.items() if cents}
