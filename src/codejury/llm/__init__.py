"""Chat models: asking them, what to ask, and what to make of the answers.

    prompts.Prompts   a prompt's file + fields ─► messages
    client.Client     messages ─► Reply, over HTTP; paced, retried, counted
    store.Exchanges   every exchange by its content, so that nothing is paid for twice
    replies           a reply's text ─► code that parses and defines what was asked for

A side port: it imports the errors and the settings only, runs no program, and knows nothing of problems and tests.
"""
