n = int(input())
print(str(sum(map(float, input().split())) / n).replace('.', ','))
