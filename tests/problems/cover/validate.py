import sys

from judging import end

lines = open(sys.argv[1]).read().splitlines()[1:]
intervals = [tuple(map(int, line.split())) for line in lines]
best = int(open(sys.argv[2]).read().split()[0])
try:
    k, *points = map(int, sys.stdin.read().split())
except ValueError:
    end(43, "expected k, and k whole numbers")
if len(points) != k:
    end(43, f"{k} points announced, {len(points)} came")
for a, b in intervals:
    if not any(a <= point <= b for point in points):
        end(43, f"no point in {a} {b}")
if k < best:
    raise AssertionError("better than the jury")
if "smallest" in sys.argv[4:] and k > best:
    end(43, f"{k} points where {best} are enough")
end(42, "fine")
