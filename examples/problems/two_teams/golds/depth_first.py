import sys


def main():
    n, m, *rest = map(int, sys.stdin.read().split())
    foes = [[] for _ in range(n + 1)]
    for a, b in zip(rest[::2], rest[1::2]):
        foes[a].append(b)
        foes[b].append(a)
    team = [None] * (n + 1)
    place = [0] * (n + 1)  # on the path from the root
    for root in range(1, n + 1):
        if team[root] is not None:
            continue
        team[root] = "B"
        path = [root]
        todo = [iter(foes[root])]
        while path:
            at = path[-1]
            for other in todo[-1]:
                if team[other] is None:
                    team[other] = "A" if team[at] == "B" else "B"
                    place[other] = len(path)
                    path.append(other)
                    todo.append(iter(foes[other]))
                    break
                if team[other] == team[at]:
                    # In a depth-first walk every edge goes up or down the path.
                    ring = path[place[other] :]
                    print("quarrel", len(ring), " ".join(map(str, ring)), sep="\n")
                    return
            else:
                path.pop()
                todo.pop()
    print("teams", "".join(team[1:]), sep="\n")


main()
