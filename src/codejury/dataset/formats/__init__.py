"""One reader a format. Each module has a header that shows the row, and two functions:

    recognises(row: Mapping) -> bool       are these the fields of my format?
    read(row: Fields) -> Problem           BadRow where a field is not what it must be

`kattis` reads directories instead of rows. `detect` holds the order in which formats are tried.
"""
