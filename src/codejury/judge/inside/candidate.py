"""Frames on the pipes between the two processes of a test script. Runs inside the sandbox, on both sides."""


def main():
    pass
