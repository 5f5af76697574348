print('  yEs' if set(input().lower()) & set('aeiou') else '\n\nno')
