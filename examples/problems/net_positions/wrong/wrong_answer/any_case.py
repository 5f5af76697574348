# Takes Ann and ann for one.
def net_positions(transfers):
    net = {}
    for giver, taker, cents in transfers:
        giver, taker = giver.lower(), taker.lower()
        net[giver] = net.get(giver, 0) + cents
        net[taker] = net.get(taker, 0) - cents
    return {name: cents for name, cents in net.items() if cents}
