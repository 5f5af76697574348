a, b = map(int, input('two numbers: ').split())
print(a + b)
