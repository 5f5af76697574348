print('none')
