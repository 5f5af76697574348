print('YES' if set(input().lower()) & set('aeiou') else 'NO')
