print('3 7')
