"""Reads a file of the host, whose path it is given on stdin. Inside the sandbox there is no such file."""

try:
    print(open(input()).read())
except OSError as error:
    print("refused:", error.strerror)
