# 0.29 * 100 is a little less than 29.
n = int(input())
total = 0
for _ in range(n):
    q, price, rate = input().split()
    cents = int(float(price) * 100)
    total += int(q) * (cents + (cents * int(rate) + 500) // 1000)
print(f"{total // 100}.{total % 100:02}")
