"""Wrong programs out of right ones, by small changes to their syntax trees.

operators      the kinds of change, each with its family
python_tree    Python's tree; python_rules: where which operator fits
brace_tree     the trees of C, C++ and Java; brace_rules: what they share; c_rules, java_rules: what they don't
choice         which of all changes are made                            Mutant, mutants, supports
"""

from codejury.mutation.programs.choice import Mutant, mutants, supports

__all__ = ["Mutant", "mutants", "supports"]
