print('YES' if set(input()) & set('aeiou') else 'NO')
