"""Adds up the whole numbers on stdin."""

import sys

print(sum(map(int, sys.stdin.read().split())))
