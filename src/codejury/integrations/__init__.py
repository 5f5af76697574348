"""codejury in other people's harnesses: each module speaks one peer's own call signature, exactly.

    verl        compute_score, for custom_reward_function.path
    trl         a reward function of GRPOTrainer, sync and async
    open_r1     code_reward, a provider of execute_scripts, the body of /execute_batch
    rllm        code_reward_fn
    verifiers   a function for a Rubric, and one for v1 tasks
    inspect_ai  a sandbox provider, found by its entry point

Thin: what a reward is, `codejury.reward` decides. A peer is imported where its own classes are needed, never at the top
of a module, except where a peer loads the module itself (inspect_ai).

What nobody could judge is None where the peer leaves None out of the mean, and an error, or what the caller asked for,
where it does not: never a nought.
"""
