"""Pages of the documentation that are made when it is built: of the code, of the attacks, of files beside docs/.

    markdown     escaping, tables, docstrings
    commands     every command with its options            (click)
    settings     the environment variables                 (the header of settings.py)
    errors       the tree of errors                        (errors.py)
    formats      what is read and written                  (the headers of the readers)
    http         every path of the service                 (its OpenAPI document)
    python       the public names                          (signatures, fields, docstrings)
    attacks      what each level stops                     (the headers of tests/attacks/programs)
    pages        which page is made by whom
    hook         mkdocs calls it
    picture      the picture of the README, checked in: docs/speed.svg

Invariant: what is made here is written nowhere by hand, so it cannot be out of date.
"""
