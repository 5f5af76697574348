n = int(input())
print(f'{sum(map(float, input().split())) / n:.9E}')
