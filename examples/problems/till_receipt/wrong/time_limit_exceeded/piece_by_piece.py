# Rings up each piece.
n = int(input())
total = 0
for _ in range(n):
    q, price, rate = input().split()
    cents = int(price.replace(".", ""))
    for _ in range(int(q)):
        total += cents + (cents * int(rate) + 500) // 1000
print(f"{total // 100}.{total % 100:02}")
