"""One letter, two, three and nine repetitions, borders that are no periods, nearly alike."""
texts = ["a", "aa", "ab", "aba", "abaab", "aab" * 9, "abcab" * 3, "ab" * 500, "a" * 999 + "b", "ab" * 499 + "aa"]
print([text + "\n" for text in texts])
