while True:
    print('5' * 1000)
