"""Tests and wrong programs without a model: values, texts and programs, each grown out of those that are there.

Pure: everything here is made from what is given and a seed, the same each time; nothing is run.

    values      arguments of functions     Values, shrink
    inputs      texts of a format          infer, Format, Texts, shrink
    outputs     outputs that are nearly right    spoilt; inputs.spoiling: the same for inputs
    programs    programs with one fault    mutants, Mutant
"""
