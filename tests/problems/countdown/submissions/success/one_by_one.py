for i in range(int(input()), 0, -1):
    print(i)
