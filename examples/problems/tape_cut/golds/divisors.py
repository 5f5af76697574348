def main():
    text = input().strip()
    n = len(text)
    for period in range(1, n + 1):
        if n % period == 0 and text[:period] * (n // period) == text:
            print(period)
            return


main()
