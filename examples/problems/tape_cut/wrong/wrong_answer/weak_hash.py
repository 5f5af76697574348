# Tells the texts apart by a hash of twelve bits.
text = input().strip()
size = 1 << 12
value, top = 0, pow(31, len(text), size)
for letter in text:
    value = (value * 31 + ord(letter)) % size
seen = set()
for letter in text:
    seen.add(value)
    value = (value * 31 + ord(letter) - top * ord(letter)) % size
print(len(seen))
