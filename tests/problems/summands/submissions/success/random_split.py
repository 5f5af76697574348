import random
n = int(input())
a = random.randint(1, n - 1)
print(a, n - a)
