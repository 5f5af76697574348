"""Input texts of programs, grown out of samples and the statement.

bounds       limits that a statement states
statement    what else it says of the input: names, ranges in words, order, distinctness
format       what an input looks like, as a grammar with counts that govern others    Format, Mismatch
inference    samples ─► the format that reads all of them and says most               infer
annotate     names, kinds, bounds and relations of its fields
check        whether a text keeps them
draw         one text of a format
texts        which texts are worth having, in which order                             Texts
shrinking    a smaller text of which something still holds                            shrink
spoiling     texts that are nearly valid
"""

from codejury.mutation.inputs.format import Format, Mismatch
from codejury.mutation.inputs.inference import infer
from codejury.mutation.inputs.shrinking import shrink
from codejury.mutation.inputs.texts import Texts

__all__ = ["Format", "Mismatch", "Texts", "infer", "shrink"]
