print('k points')
