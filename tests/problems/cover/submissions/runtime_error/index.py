lines = open(0).read().split()
print(lines[10**6])
