"""Generators, validators and checkers written by a chat model, run, criticised and repaired until they hold.

    row ─► validator ─► checker needed? ─► generators (regular, corner) ─► checker ─► tests ─► harden ─► row with tests
              ▲  │                             ▲  │                          ▲  │                 │
              │  └ trust ─ evidence ─┐         │  └ sandbox, validator,      │  └ trust            └ for whom mutation
              └──────── repair ◄─────┘         │    golds ─ evidence ─┐      │                       does not kill:
                                               └────── repair ◄───────┘      └─ repair               the model again

One idea carries all of it: what becomes of a row is a function of the row, the options and the model's replies, and
replies come out of a store of exchanges (llm/store.py). So these are one and the same thing:

    a run       what is not in the store is asked and kept
    resuming    run again: what was asked is in the store, nothing is paid for twice
    replay      what is not in the store is an error
    batches     run until every problem needs a reply that is not in the store; write those requests; take replies in
    explaining  the steps of a row, each with its exchange

    options      what a caller may choose
    asking       where replies come from: a server, the store alone, a batch's answers
    dialogue     a question, and the code or the decision in its reply; the record of all questions of a problem
    faults       what can be wrong with a generator, and how the model is told
    bench        what all trials of a problem share: its golds, its mutants, the sandbox
    trial        one generator: run, validated, answered by the golds
    generators   rounds of writing and repair; the best survives
    artifacts    validators and checkers: written, held against what must be accepted and rejected, repaired
    adversary    generators against programs that pass all tests
    problem      one row through all of it
    run          many rows; batch: the files of batch APIs; story: a problem's records as a page
"""
