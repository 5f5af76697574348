"""The `codejury` command: thin, one module a subcommand, each loaded when it is called.

Owns the mapping of errors to exit codes: 2 for what the caller gave, 3 for what this host cannot give or
where we failed ourselves; 130 for Ctrl-C. `codejury run` passes on the program's own code otherwise.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import NoReturn

import click

_COMMANDS = {
    "run": "Run one program in the sandbox.",
    "judge": "Judge programs against tests: verdicts.",
    "replay": "Judge a stored case again, and show what differs.",
    "gen": "Make tests: inputs by generators, outputs by golds that agree.",
    "special-judge-gen": "The same for problems with several right answers: a checker decides.",
    "synth": "Have a model write generators, validators and checkers; keep what holds.",
    "harden": "Make tests that wrong programs fail which passed so far; no model needed.",
    "select": "Keep few tests that reject as much as many.",
    "quality": "Measure tests: right programs accepted, wrong ones rejected (TPR, TNR).",
    "eval": "Score a model, or its samples, on a benchmark: base and plus tests, pass@k.",
    "compare": "Say what two runs of a benchmark differ by, and whether it is chance.",
    "augment": "Make a plus version of a function benchmark: many more tests, references checked.",
    "verify": "Find what is broken in a benchmark: references, duplicates, tests that test nothing.",
    "report": "Show results in one HTML file that opens from disk.",
    "stats": "Count problems, tests, sizes and languages.",
    "lint": "Find what is weak in tests.",
    "trust": "Try checkers and input validators: which are to be trusted.",
    "map": "Index tests by their ids, for look-ups at reward time.",
    "convert": "Make one format of another.",
    "serve": "Run and judge over HTTP, for other programs.",
    "doctor": "Say what this host can enforce, and what to change to get more.",
    "bench": "Measure runs against bare execution and other sandboxes.",
}


class _Lazy(click.Group):
    """Subcommands by name; a module is imported when its command is wanted."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        module = name.replace("-", "_")
        command: click.Command = getattr(import_module(f"codejury.cli.{module}"), module)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


def _version(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        from codejury import __version__

        click.echo(f"codejury {__version__}")
        context.exit()


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print the version."
)
def _root() -> None:
    """The jury for code models: runs programs that nobody trusts, and says what they did.

    \b
    Start here:
      codejury doctor                          what this host can enforce
      codejury run solution.py --stdin in.txt  run a program
      codejury judge solution.py 2 256 tests.json   judge it
    """


def main(arguments: list[str] | None = None) -> NoReturn:
    from codejury.errors import CodejuryError, UsageError

    try:
        code = _root.main(arguments, prog_name="codejury", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except UsageError as error:
        click.echo(f"codejury: {error}", err=True)
        code = 2
    except CodejuryError as error:
        click.echo(f"codejury: {error}", err=True)
        code = 3
    except (KeyboardInterrupt, click.Abort):
        click.echo("codejury: interrupted", err=True)
        code = 130
    except BrokenPipeError:  # whoever read our output has gone: nobody is left to tell
        sys.stdout = None
        code = 141
    sys.exit(code if isinstance(code, int) else 0)
