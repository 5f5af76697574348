from elsewhere import table

table(int(input()))
