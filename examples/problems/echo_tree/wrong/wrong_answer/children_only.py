# Looks one level down only.
n = int(input())
parents = list(map(int, input().split()))
colours = list(map(int, input().split()))
answer = [0] * n
for node, parent in enumerate(parents, 1):
    if colours[node] == colours[parent - 1]:
        answer[parent - 1] += 1
print(*answer)
