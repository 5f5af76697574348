"""What runs inside the sandbox when functions are called: plain files, sent there by `judge/drivers.py`.

    values (judging/values.py)  ◄─ loading ◄─ function      one call, or a gold's many
                              ◄─ frames  ◄─ candidate     the candidate's side of a test script
                                         ◄─ examiner      the test's side of it, with pytestlike and subject

Invariant: they import nothing of codejury but each other, by the names that drivers.py gives them there.
"""
