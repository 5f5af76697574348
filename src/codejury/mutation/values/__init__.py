"""Arguments of functions, grown out of seed arguments.

grower       what comes when: edges, growth, neighbours                Values
shapes       types of values, as far as seeds show them
facts        what holds in all seeds: lengths, orders, relations
boundaries   the edges of every type
growth       changes of values, crossing, reuse
scalars      numbers and texts
mined        constants and annotations of the gold, read and never run
parts        the places inside a value
shrinking    a smaller value of which something still holds            shrink
"""

from codejury.mutation.values.grower import Args, Values
from codejury.mutation.values.shrinking import shrink

__all__ = ["Args", "Values", "shrink"]
