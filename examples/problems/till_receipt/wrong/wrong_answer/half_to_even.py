# round() rounds half a cent to the even neighbour.
n = int(input())
total = 0
for _ in range(n):
    q, price, rate = input().split()
    cents = int(price.replace(".", ""))
    total += int(q) * (cents + round(cents * int(rate) / 1000))
print(f"{total // 100}.{total % 100:02}")
