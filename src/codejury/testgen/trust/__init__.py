"""Has a checker, or an input validator, earned trust? It is tried on what it must accept and on what it must reject.

    words        Trust, Miss, Share: the verdict, what speaks against it, and evidence for who has to mend it
    checkers     checker_trust, gold_outputs
    settled      what all golds agree on, so that an output which differs there is wrong
    validators   validator_trust
    problems     both for one problem as it was read, packages of contests among them

The rules stand at the head of each. In which ways outputs are spoilt is `mutation.outputs`', and inputs
`mutation.inputs.spoiling`'s. Checkers and validators are anybody's programs and run in the sandbox alone.
"""

from codejury.testgen.trust.checkers import checker_trust, chosen, gold_outputs
from codejury.testgen.trust.problems import Trusts, trusts
from codejury.testgen.trust.validators import validator_trust
from codejury.testgen.trust.words import Miss, Share, Trust

__all__ = ["Miss", "Share", "Trust", "Trusts", "checker_trust", "chosen", "gold_outputs", "trusts", "validator_trust"]
