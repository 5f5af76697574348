# Keeps all of them.
text = input().strip()
print(len({text[i:] + text[:i] for i in range(len(text))}))
