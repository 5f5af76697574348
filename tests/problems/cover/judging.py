import sys


def end(code, words):
    with open(sys.argv[3] + "/judgemessage.txt", "w") as file:
        file.write(words)
    sys.exit(code)
