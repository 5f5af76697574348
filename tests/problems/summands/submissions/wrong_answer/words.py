print('one and the rest')
