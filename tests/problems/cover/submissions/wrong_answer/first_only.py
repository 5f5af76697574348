input()
print(1, input().split()[0])
