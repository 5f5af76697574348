"""`codejury synth`: a chat model writes generators, validators and checkers; tests are what holds.

Owns the options' words, which way replies come (a server, the store alone, batch files), and what is shown.
"""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from codejury.cli import progress
from codejury.cli.dashboard import dashboard_option
from codejury.cli.progress import interruptible, note
from codejury.cli.runner import runner_options

if TYPE_CHECKING:
    from codejury.llm.client import Client
    from codejury.llm.prompts import Prompts
    from codejury.llm.store import Exchanges, Mode
    from codejury.synth.options import Options
    from codejury.synth.problem import Result
    from codejury.synth.run import Summary

_NOWHERE = "http://127.0.0.1:9/v1"  # where nothing is sent, as only the store answers
_FILE = click.Path(path_type=Path, dir_okay=False)
_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command()
@click.option(
    "--input",
    "input_",
    metavar="FILE",
    required=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Problems: a JSON row a line, with solutions.",
)
@click.option("--output", metavar="FILE", required=True, type=_FILE, help="Rows with their tests are appended here.")
@click.option("--model", metavar="NAME", help="The model's name.  [CODEJURY_LLM_MODEL]")
@click.option("--api-url", metavar="URL", help="An OpenAI-compatible API, as http://host:8000/v1.  [CODEJURY_LLM_URL]")
@click.option(
    "--rounds",
    metavar="N",
    type=click.IntRange(1, 100),
    default=3,
    show_default=True,
    help="Questions for one program: the first, and repairs.",
)
@click.option(
    "--regular",
    metavar="N",
    type=click.IntRange(0),
    default=80,
    show_default=True,
    help="Inputs that a regular generator is asked for.",
)
@click.option(
    "--corner",
    metavar="N",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help="The same of a corner generator.",
)
@click.option(
    "--samples",
    metavar="N",
    type=click.IntRange(1, 100),
    default=1,
    show_default=True,
    help="Generators of each kind to choose from.",
)
@click.option(
    "--checkers",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="auto: where several outputs are right, by the model's word or the golds' answers.",
)
@click.option(
    "--untrusted",
    type=click.Choice(["exact", "drop"]),
    default="exact",
    show_default=True,
    help="Where a checker is needed and none is trusted: compare outputs, or make no tests.",
)
@click.option("--only", type=click.Choice(["generators", "checkers", "validators"]), help="Write only these.")
@click.option(
    "--harden",
    "budget",
    metavar="N",
    type=click.IntRange(0),
    default=128,
    show_default=True,
    help="Inputs that mutation tries against programs that pass.",
)
@click.option(
    "--survivors",
    metavar="N",
    type=click.IntRange(0),
    default=2,
    show_default=True,
    help="Programs that pass all the same for which the model is asked.",
)
@click.option(
    "--mutants",
    metavar="N",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help="Wrong programs that generators are measured by.",
)
@click.option(
    "--quorum", metavar="N|all|first-last", default="all", show_default=True, help="How many golds must agree."
)
@click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(1, 1024),
    default=8,
    show_default=True,
    help="Problems, and requests, at a time.",
)
@click.option("--sandboxes", metavar="N", type=click.IntRange(1), help="Programs at a time.  [as many as cores]")
@click.option("--max-calls", metavar="N", type=click.IntRange(0), help="Requests of this run, at most.")
@click.option("--max-cost", metavar="X", type=click.FloatRange(0), help="Money of this run, about, by --price.")
@click.option("--price", metavar="IN,OUT", help="Of a million tokens asked and answered, as 0.5,1.5.")
@click.option("--temperature", type=float, default=0.2, show_default=True, help="Of the model.")
@click.option(
    "--max-tokens", metavar="N", type=click.IntRange(1), default=2048, show_default=True, help="Of an answer."
)
@click.option("--seed", metavar="N", type=int, help="For servers that take one.")
@click.option("--extra", metavar="JSON", help='More fields of the request, as {"top_p": 0.9}.')
@click.option("--requests-per-minute", metavar="N", type=click.FloatRange(0, min_open=True), help="At most.")
@click.option("--tokens-per-minute", metavar="N", type=click.FloatRange(0, min_open=True), help="At most, about.")
@click.option(
    "--timeout",
    metavar="S",
    type=click.FloatRange(0, min_open=True),
    default=600.0,
    show_default=True,
    help="Seconds of a question, retries included.",
)
@click.option(
    "--retries",
    metavar="N",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    help="After a failure of the server that may pass.",
)
@click.option("--prompts", metavar="DIR", type=_FOLDER, help="Prompts of your own, in place of those of the same name.")
@click.option(
    "--prompt-scale",
    metavar="X",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    show_default=True,
    help="Of the lengths of what goes into prompts; below 1 for models that take in little.",
)
@click.option(
    "--exchanges", metavar="DIR", type=_FOLDER, help="The store of questions and answers.  [OUTPUT.exchanges]"
)
@click.option("--replay", is_flag=True, help="Only the store answers; a question that it does not know is an error.")
@click.option("--no-cache", is_flag=True, help="Ask afresh what the store knows, and keep the new answers.")
@click.option(
    "--batch-out", metavar="FILE", type=_FILE, help="Ask nobody; write the next questions of all problems here."
)
@click.option(
    "--batch-in",
    metavar="FILE",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Take these answers in first.",
)
@click.option("--explain", metavar="ID", help="Show a problem's story: questions, answers, faults, repairs.")
@click.option("--tl-gen", metavar="S", type=float, default=20.0, show_default=True, help="CPU seconds of a generator.")
@click.option("--ml-gen", metavar="MB", type=float, default=2048.0, show_default=True, help="Megabytes of a generator.")
@click.option("--tl-run", metavar="S", type=float, help="CPU seconds of a gold whose row has no time-limit.  [5]")
@click.option("--ml-run", metavar="MB", type=float, help="Megabytes of a gold whose row has no memory-limit.  [1024]")
@click.option("--retry-failed", is_flag=True, help="Do rows of the output again that have an error_info.")
@click.option("--level", type=click.Choice(["auto", "full", "rootless", "landlock"]), default="auto", help="Isolation.")
@runner_options
@dashboard_option
@click.option("--json", "as_json", is_flag=True, help="The summary as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
def synth(
    input_: Path,
    output: Path,
    explain: str | None,
    batch_out: Path | None,
    batch_in: Path | None,
    workers: int,
    sandboxes: int | None,
    level: str,
    retry_failed: bool,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Have a model write what makes tests, and keep what holds: generators, input validators, checkers.

    \b
      codejury synth --input P.jsonl --output T.jsonl --model M --api-url http://127.0.0.1:8000/v1
      codejury synth --input P.jsonl --output T.jsonl --model M --batch-out requests.jsonl
      codejury synth --input P.jsonl --output T.jsonl --model M --batch-in answers.jsonl --batch-out requests.jsonl
      codejury synth --input P.jsonl --output T.jsonl --explain some-id

    Each program that the model writes runs in the sandbox; what is wrong with it goes back to the model, up to --rounds
    times. A row comes out with tests, with what the model wrote (input_generator, input_validator, checker), and with
    `synthesis`, which says how it came about. Every question and answer is kept: a run that was interrupted goes on
    when it is called again, and pays for nothing twice. The key is CODEJURY_LLM_KEY or OPENAI_API_KEY.

    Exit code 0: every row was made, or waits for its batch. 3: some were not. 2: wrong usage. 130: interrupted.
    """
    from codejury.errors import UsageError
    from codejury.synth import batch
    from codejury.synth.asking import Kept, Live
    from codejury.synth.run import synthesise

    in_batches = batch_out is not None or batch_in is not None
    if in_batches and (given["replay"] or given["no_cache"]):
        raise UsageError("--batch-out, --batch-in: not together with --replay or --no-cache")
    options = _options(**given)
    if explain is not None:
        given, options = _as_recorded(output, given, options)
    prompts = _prompts(given)
    exchanges = _exchanges(given, output, is_asked=not in_batches and explain is None)
    if explain is not None:
        _explained(explain, input_, output, options, prompts, exchanges, given, level)
        return
    stop = threading.Event()
    with _client(given, exchanges, workers, sends=not in_batches and not given["replay"]) as client:
        answers = batch.read(batch_in, note=note) if batch_in is not None else {}
        kept = Kept(client, exchanges, answers)
        done = _Done(quiet=quiet)
        progress.tell("problems", lambda: done.told(_usage(client)))
        with interruptible(stop, "problems"):
            summary = synthesise(
                input_,
                output,
                kept if in_batches else Live(client, exchanges),
                options,
                model=client.model,
                prompts=prompts,
                workers=workers,
                sandboxes=sandboxes,
                level=level,
                retry_failed=retry_failed,
                stop=stop,
                note=note,
                done=done,
                more={name: given[name] for name in ("temperature", "max_tokens", "seed", "extra")}
                | {"url": client.url, "exchanges": str(exchanges.folder), "mode": exchanges.mode},
                usage=lambda: _usage(client),
            )
        if batch_in is not None and (unused := len(answers) - len(kept.taken)):
            note(f"{unused} of {len(answers)} answers of {batch_in} were not wanted: asked otherwise, or known before")
        if batch_out is not None:
            batch.write(batch_out, summary.waiting)
        _told(summary, _usage(client), as_json, batch_out)
    if stop.is_set():
        sys.exit(130)
    if not (summary.complete or (batch_out is not None and _only_waits(summary))):
        sys.exit(3)


# ── What was given ───────────────────────────────────────────────────────────────────────────────────────────────────


def _options(**given: Any) -> Options:
    from codejury.errors import UsageError
    from codejury.synth.options import Options
    from codejury.testgen.options import Quorum, limits

    generator, run = limits(**{name: given[name] for name in ("tl_gen", "tl_run", "ml_gen", "ml_run")})
    names = (
        "rounds",
        "regular",
        "corner",
        "samples",
        "checkers",
        "untrusted",
        "only",
        "budget",
        "survivors",
        "mutants",
    )
    try:
        return Options(
            **{name: given[name] for name in names}, quorum=Quorum.of(given["quorum"]), generator=generator, run=run
        )
    except ValueError as error:
        raise UsageError(str(error)) from error


def _prompts(given: dict[str, Any]) -> Prompts:
    from codejury.llm.prompts import Prompts

    return Prompts(given["prompts"], scale=given["prompt_scale"])


def _exchanges(given: dict[str, Any], output: Path, *, is_asked: bool) -> Exchanges:
    from codejury.errors import UsageError
    from codejury.llm.store import Exchanges
    from codejury.testgen.rows import beside

    if given["replay"] and given["no_cache"]:
        raise UsageError("--replay, --no-cache: expected one of them")
    mode: Mode = "cache"
    if is_asked:
        mode = "replay" if given["replay"] else "fresh" if given["no_cache"] else "cache"
    return Exchanges(given["exchanges"] or beside(output, ".exchanges"), mode=mode)


def _client(given: dict[str, Any], exchanges: Exchanges, workers: int, *, sends: bool) -> Client:
    import msgspec

    from codejury import settings
    from codejury.errors import UsageError
    from codejury.llm.client import Client, Prices

    known = settings.load()
    if given["max_cost"] is not None and not given["price"]:
        raise UsageError("--max-cost: expected --price with it, by which costs are counted")
    if not sends:
        known = msgspec.structs.replace(known, llm_key=None)
    prompt, _, completion = (given["price"] or "0,0").partition(",")
    try:
        extra = json.loads(given["extra"]) if given["extra"] else {}
        prices = Prices(prompt=float(prompt), completion=float(completion or prompt))
    except ValueError as error:
        raise UsageError(f"--extra, --price: expected a JSON object, and two numbers as 0.5,1.5: {error}") from None
    if not isinstance(extra, dict):
        raise UsageError(f"--extra: expected a JSON object, got {given['extra']}")
    return Client.from_settings(
        known,
        url=given["api_url"] if sends else given["api_url"] or known.llm_url or _NOWHERE,
        model=given["model"],
        concurrency=workers,
        temperature=given["temperature"],
        max_tokens=given["max_tokens"],
        seed=given["seed"],
        extra=extra,
        requests_per_minute=given["requests_per_minute"],
        tokens_per_minute=given["tokens_per_minute"],
        total_s=given["timeout"],
        read_s=given["timeout"],
        retries=given["retries"],
        max_calls=given["max_calls"],
        max_cost=given["max_cost"],
        exchanges=exchanges,
        prices=prices,
    )


# ── What is shown ────────────────────────────────────────────────────────────────────────────────────────────────────


def _explained(
    name: str,
    input_: Path,
    output: Path,
    options: Options,
    prompts: Prompts,
    exchanges: Exchanges,
    given: dict[str, Any],
    level: str,
) -> None:
    """Out of the output where the problem is there, else as far as the store's answers go."""
    from codejury.dataset.rows import read_rows
    from codejury.synth import story
    from codejury.synth.asking import Kept
    from codejury.synth.run import told_so_far

    for row in read_rows(output, on_error=lambda error: None) if output.exists() else ():
        value = row.value
        if isinstance(value, dict) and str(value.get("custom_id")) == name and "synthesis" in value:
            told = value["synthesis"]
            click.echo(story.page(name, told, exchanges, error_info=value.get("error_info")), nl=False)
            return
    with _client(given, exchanges, 1, sends=False) as client:
        told, waiting, error_info = told_so_far(
            input_, name, Kept(client, exchanges), options, model=client.model, prompts=prompts, level=level
        )
    click.echo(story.page(name, told, exchanges, error_info=error_info, waiting=waiting), nl=False)


def _as_recorded(output: Path, given: dict[str, Any], options: Options) -> tuple[dict[str, Any], Options]:
    """What the last run was given holds where this command says nothing else: its questions are to be found again."""
    import msgspec

    from codejury.synth.options import Options
    from codejury.testgen.record import last_settings
    from codejury.testgen.rows import beside

    context = click.get_current_context()
    defaults = (ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP)
    silent = {name for name in given if context.get_parameter_source(name) in defaults}
    if silent >= {"tl_gen", "ml_gen"}:
        silent.add("generator")
    if silent >= {"tl_run", "ml_run"}:
        silent.add("run")
    recorded = {name: value for name, value in last_settings(beside(output, ".run.json")).items() if name in silent}
    kinds: dict[str, Any] = {
        "model": str,
        "temperature": float | None,
        "max_tokens": int,
        "seed": int | None,
        "extra": str | None,
    }
    kinds["exchanges"] = str
    try:
        options = msgspec.convert({**msgspec.to_builtins(options), **recorded}, Options)
        asked = {name: msgspec.convert(recorded[name], kind) for name, kind in kinds.items() if name in recorded}
    except (msgspec.ValidationError, ValueError):  # a record of another version, or somebody's own
        return given, options
    if "exchanges" in asked:
        asked["exchanges"] = Path(asked["exchanges"])
    return {**given, **asked}, options


class _Done:
    """Told of each row that was written."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._counts: dict[str, int] = {"tests": 0}
        self._rows = 0

    def __call__(self, result: Result) -> None:
        self._rows += 1
        self._counts = {
            **self._counts,
            result.state: self._counts.get(result.state, 0) + 1,
            "tests": self._counts["tests"] + result.tests,
        }
        if not self._quiet:
            _line(result)

    def told(self, used: dict[str, Any]) -> progress.Told:
        spent = {f"model: {name}": count for name, count in used.items()}
        return progress.Told(done=self._rows, counts={**self._counts, **spent})


def _line(result: Result) -> None:
    told = result.row["synthesis"]
    faults = "; ".join(
        f"{kind}: {', '.join(each or 'good' for each in found)}" for kind, found in told["rounds"].items()
    )
    words = f"{result.row['custom_id']}: {result.state}, {result.tests} tests, {len(told['steps'])} questions"
    note(f"{words} ({faults})" if faults else words)


def _usage(client: Client) -> dict[str, Any]:
    import msgspec

    used = client.usage
    told: dict[str, Any] = msgspec.to_builtins(used)
    return {**told, "waited_s": round(used.waited_s, 3), "cost": round(used.cost, 6)}


def _only_waits(summary: Summary) -> bool:
    good = ("rows", "done before", "made", "tests", "waiting")
    return not summary.stopped and not any(count for name, count in summary.counts.items() if name not in good)


def _told(summary: Summary, used: dict[str, Any], as_json: bool, batch_out: Path | None) -> None:
    if summary.stopped:
        note(f"stopped: {summary.stopped}")
    if as_json:
        told = {
            "output": str(summary.output),
            "errors": str(summary.errors) if summary.errors.exists() else None,
            "record": str(summary.record),
            "seconds": round(summary.seconds, 3),
            "complete": summary.complete,
            "stopped": summary.stopped or None,
            "counts": summary.counts,
            "waiting": len(summary.waiting),
            "usage": used,
        }
        click.echo(json.dumps(told))
        return
    click.echo(", ".join(f"{count} {name}" for name, count in summary.counts.items() if count) or "no rows")
    tokens = f"{used['prompt_tokens']} + {used['completion_tokens']} tokens"
    cost = f", cost {used['cost']}" if used["cost"] else ""
    click.echo(f"{used['requests']} requests, {used['cached']} answers from the store, {tokens}{cost}")
    if batch_out is not None:
        click.echo(f"{len(summary.waiting)} questions are in {batch_out}")
    click.echo(f"tests are in {summary.output}")
