from collections import defaultdict


def net_positions(transfers):
    net = defaultdict(int)
    for giver, taker, cents in transfers:
        net[giver] += cents
        net[taker] -= cents
    return {name: cents for name, cents in net.items() if cents}
