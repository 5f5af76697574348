"""Nobody, gifts to oneself, all square in the end, case, sums beyond a float."""
import json

far = 10**15
cases = [
    [],
    [["ann", "ann", 7]],
    [["ann", "bob", 1]],
    [["ann", "bob", 1], ["bob", "cay", 1], ["cay", "ann", 1]],
    [["Ann", "ann", 3], ["ann", "Bob", 3]],
    [["ann", "bob", 4], ["ann", "bob", 4]],
    [["ann", "bob", 4], ["bob", "ann", 4], ["ann", "cay", 2]],
    [["a", "b", far]] * 20 + [["a", "b", 1]],
]
print([json.dumps(case) for case in cases])
