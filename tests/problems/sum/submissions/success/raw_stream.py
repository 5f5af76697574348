import os
print(sum(map(int, os.read(0, 1000).split())))
