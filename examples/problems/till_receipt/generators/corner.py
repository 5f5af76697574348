"""Half cents, prices that a float misses, sums below a euro and with a nought in the cents, the dearest line."""


def purchase(*lines):
    return "\n".join([str(len(lines)), *lines]) + "\n"


print(
    [
        purchase("1 0.01 0"),
        purchase("1 0.01 499"),
        purchase("1 0.01 500"),
        purchase("1 0.50 50"),
        purchase("1 0.30 50"),
        purchase("1 5.00 0"),
        purchase("1 5.07 0"),
        purchase("7 0.29 0", "3 1.15 0", "1 4.35 0", "1 8.20 0"),
        purchase("1000000 10000.00 500"),
        purchase("999999 9999.99 499"),
        purchase(*(f"1 {c // 100}.{c % 100:02} 250" for c in range(1, 400))),
    ]
)
