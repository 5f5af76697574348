# Only ever tries to halve.
text = input().strip()
while len(text) % 2 == 0 and text[: len(text) // 2] * 2 == text:
    text = text[: len(text) // 2]
print(len(text))
