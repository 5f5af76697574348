# Greedy: always the sort that is cheaper for its length.
n, a, p, b, q = map(int, input().split())
x = sorted(map(int, input().split()))
length, price = (a, p) if p * b <= q * a else (b, q)
total, end = 0, None
for each in x:
    if end is None or each > end:
        total += price
        end = each + length
print(total)
