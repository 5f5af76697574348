import sys


def main():
    lines = sys.stdin.read().split()
    h, w = int(lines[0]), int(lines[1])
    wide = w + 2  # two walls on each side keep the frog in
    grid = "#" * (2 * wide) + "".join(line + "##" for line in lines[2 : h + 2]) + "#" * (2 * wide)
    start, goal = grid.index("S"), grid.index("T")
    moves = {"R": 2, "L": -2, "r": 1, "l": -1, "D": 2 * wide, "U": -2 * wide, "d": wide, "u": -wide}
    steps = list(moves.values())
    distance = [-1] * len(grid)
    distance[goal] = 0
    queue = [goal]
    for at in queue:
        further = distance[at] + 1
        for step in steps:
            other = at + step
            if distance[other] < 0 and grid[other] != "#":
                distance[other] = further
                queue.append(other)
    if distance[start] < 0:
        print("none")
        return
    at, way = start, []
    while at != goal:
        for name, step in moves.items():
            if distance[at + step] == distance[at] - 1:
                way.append(name)
                at += step
                break
    print(len(way), "".join(way), sep="\n")


main()
