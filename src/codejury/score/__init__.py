"""What results are worth: rates with their intervals, and tables of them. Pure functions: nothing runs here.

rates      a share of a count, and between what it lies (Wilson)
quality    verdicts on programs that are known to be right or wrong ─► TPR and TNR, by suite and language
"""
