"""Whether input validators are to be trusted. Owns the rule:

    accepts   every valid input
    rejects   95 % of each kind of spoilt input that no problem takes (group `never`), and 95 % of the others (counts,
              bounds) together

That one fails in place of a verdict is as good as a no, for the input is dropped then as well; not so that it runs into
a limit.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from codejury.languages.execute import Sandbox
from codejury.mutation.inputs import Format, infer
from codejury.mutation.inputs.bounds import bounds_of
from codejury.mutation.inputs.spoiling import KINDS, SpoiltInput, spoilt
from codejury.testgen.crew import Crew
from codejury.testgen.rows import Validator
from codejury.testgen.trouble import Trouble
from codejury.testgen.trust.words import (
    CASE_CHARACTERS,
    MAX_CASES,
    MAX_RUNS,
    SHARE,
    Miss,
    Said,
    Trust,
    handy,
    in_order,
    share_of,
    spread,
)
from codejury.testgen.validate import refusal

_LIMIT = re.compile(r"the validator (?:took|printed|started|opened|needs) more than |\w+_limit_exceeded")


def validator_trust(
    sandbox: Sandbox,
    validators: Sequence[Validator],
    inputs: Sequence[str],
    *,
    statement: str = "",
    seed: int = 0,
    max_runs: int = MAX_RUNS,
) -> Trust:
    """Whether the validators, who must all accept, are to be trusted together.

    inputs      valid ones: samples, and inputs of tests that are known to be good
    statement   its bounds are tried
    """
    given = [text for text in dict.fromkeys(inputs) if text.strip() and len(text) <= CASE_CHARACTERS]
    given = spread(sorted(given, key=len), MAX_CASES)
    if not given or not validators:
        why = "there is no valid input to try it on" if validators else "there is none"
        return Trust(trusted=False, reasons=(why,))
    with Crew(sandbox) as crew:

        def asked(text: str) -> tuple[Said, str]:
            for validator in validators:
                refused = refusal(crew, validator, text)
                if refused is not None:
                    return ("failed" if refused[0] == "validator failed" else "rejected"), refused[1]
            return "accepted", ""

        try:
            heard = list(zip(given, crew.each(0, asked, given), strict=True))
            if any(said != "accepted" for _, (said, _) in heard):
                return _validator_verdict(heard, [])
            format = infer(given, statement=statement)
            trials = _inputs_to_reject(given, format, statement, seed, max_runs - len(given))
            said = crew.each(0, lambda each: asked(each[1].text), trials)
            return _validator_verdict(heard, [(at, each, *told) for (at, each), told in zip(trials, said, strict=True)])
        except Trouble as error:
            return Trust(trusted=False, reasons=(f"it cannot be run: {error}",))


def _inputs_to_reject(
    inputs: Sequence[str], format: Format, statement: str, seed: int, most: int
) -> list[tuple[int, SpoiltInput]]:
    bounds = bounds_of(statement)
    lines = [
        [(at, each) for each in spoilt(inputs[at], format, bounds=bounds, seed=seed)]
        for at in handy([len(text) for text in inputs])
    ]
    rounds = itertools.zip_longest(*lines)
    return list(itertools.islice((each for turn in rounds for each in turn if each is not None), max(0, most)))


def _validator_verdict(
    valid: Sequence[tuple[str, tuple[Said, str]]], spoilt: Sequence[tuple[int, SpoiltInput, Said, str]]
) -> Trust:
    accepts = [said == "accepted" for _, (said, _) in valid]
    misses = [
        Miss(case=at, kind="valid", what="a valid input", wanted="accepted", said=said, message=message, input=text)
        for at, (text, (said, message)) in enumerate(valid)
        if said != "accepted"
    ]
    kinds: dict[str, list[bool]] = {}
    never = {each.kind for _, each, _, _ in spoilt if each.group == "never"}
    for at, each, said, message in spoilt:
        is_out = said == "rejected" or (said == "failed" and not _LIMIT.match(message))
        kinds.setdefault(each.kind, []).append(is_out)
        if not is_out:
            what = f"an input with {KINDS[each.kind]}" + (f" ({each.detail})" if each.detail else "")
            misses.append(
                Miss(case=at, kind=each.kind, what=what, wanted="rejected", said=said, message=message, input=each.text)
            )
    shares = {kind: share_of(each) for kind, each in sorted(kinds.items())}
    why = []
    if not all(accepts):
        why.append(f"of {len(accepts)} valid inputs it accepts {sum(accepts)}")
    for kind in sorted(never):
        if shares[kind].value < SHARE:
            share = shares[kind]
            why.append(f"it accepts {share.total - share.count} of {share.total} inputs with {KINDS[kind]}")
    others = [each for kind, said in kinds.items() if kind not in never for each in said]
    if share_of(others).value < SHARE:
        worst = sorted((kind for kind in shares if kind not in never), key=lambda kind: shares[kind].value)
        told = ", ".join(KINDS[kind] for kind in worst if shares[kind].value < SHARE)
        why.append(
            f"of {len(others)} inputs that are nearly valid it rejects {sum(others)}; it accepts some with {told}"
        )
    rejects = share_of([each for said in kinds.values() for each in said])
    return Trust(
        trusted=not why,
        reasons=tuple(why),
        accepts=share_of(accepts),
        rejects=rejects,
        kinds=shares,
        runs=len(valid) + len(spoilt),
        misses=in_order(misses),
    )
