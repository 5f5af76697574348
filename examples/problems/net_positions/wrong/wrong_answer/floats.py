# Euros as floats lose cents.
def net_positions(transfers):
    net = {}
    for giver, taker, cents in transfers:
        net[giver] = net.get(giver, 0.0) + cents / 100
        net[taker] = net.get(taker, 0.0) - cents / 100
    return {name: int(euros * 100) for name, euros in net.items() if int(euros * 100)}
