def table(n):
    pass
