"""Tests and wrong programs without a model: values, texts and programs, each grown out of those that are there.

Pure: everything here is made from what is given and a seed, the same each time; nothing is run.

    values                arguments of functions, out of seed arguments             Values, shrink
    format, infer, …      what input texts look like, out of samples and statement  infer, Format
    inputs                texts of that format                                      Texts, shrink
    programs              programs with one fault, out of a right one               mutants
"""
