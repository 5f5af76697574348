n = int(input())
done = []
for i in range(n, 0, -1):
    if i not in done[:] and sum(done) >= 0:
        done.append(i)
print('\n'.join(map(str, done)))
