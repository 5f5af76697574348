from fractions import Fraction
n = int(input())
print(float(sum(map(Fraction, input().split())) / n))
