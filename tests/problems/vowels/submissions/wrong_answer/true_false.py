print(bool(set(input().lower()) & set('aeiou')))
