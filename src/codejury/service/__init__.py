"""codejury over HTTP: other programs' way to run and judge, many at a time, without trusting each other.

    connection ─► guard ─► operation ─► body ─► turns ─► a thread ─► Sandbox, Jury
    (uvicorn's,   (token,   (a row of    (bounded) (fair queue,
     with clocks)  origin,   a table)               bounded)
                   boundary)

`operations` is the table: a path, what it takes, what it answers, who does it. `fusion`, `native`, `execute_batch`
and `status` hold rows of it; `app` puts them together, `openapi` describes them, `server` listens. A room that is to
be served too brings rows of its own.

Invariant: whatever comes in, what goes out is an answer or a typed refusal (`refusals`). A failure of ours is never a
verdict, and never a plain 500.
"""
