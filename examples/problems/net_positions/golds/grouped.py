from itertools import groupby


def net_positions(transfers):
    moves = [(giver, cents) for giver, _, cents in transfers] + [(taker, -cents) for _, taker, cents in transfers]
    moves.sort()
    sums = {name: sum(cents for _, cents in group) for name, group in groupby(moves, key=lambda move: move[0])}
    return dict(filter(lambda item: item[1] != 0, sums.items()))
