# Keeps those who are square.
def net_positions(transfers):
    net = {}
    for giver, taker, cents in transfers:
        net[giver] = net.get(giver, 0) + cents
        net[taker] = net.get(taker, 0) - cents
    return net
