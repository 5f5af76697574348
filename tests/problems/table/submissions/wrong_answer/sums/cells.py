def cell(i, j):
    return i + j
