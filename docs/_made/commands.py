"""Every command, from what `--help` knows."""

from __future__ import annotations

import click

from _made.markdown import code, plain, prose, table
from codejury import cli


def commands() -> dict[str, click.Command]:
    context = click.Context(cli._root, info_name="codejury")
    found = {name: cli._root.get_command(context, name) for name in cli._COMMANDS}
    return {name: command for name, command in found.items() if command is not None}


def page() -> str:
    parts = [
        "# Commands\n",
        "Made from the commands themselves: the same as `codejury COMMAND --help` says. [On the "
        "terminal](../terminal.md) says what all "
        "of them share: progress, exit codes, completion.\n",
        table(["command", ""], ([f"[{code(name)}](#{name})", plain(cli._COMMANDS[name])] for name in commands())),
    ]
    for name, command in commands().items():
        parts += [f"## {name}\n", f"{code(_usage(name, command))}\n", prose(command.help)]
        arguments = [each for each in command.params if isinstance(each, click.Argument)]
        options = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
        if arguments:
            parts.append("Arguments: " + ", ".join(code(_metavar(each, command)) for each in arguments) + "\n")
        parts.append(table(["option", "meaning", "default"], (_row(each, command) for each in options)))
    return "\n".join(parts)


def _usage(name: str, command: click.Command) -> str:
    with click.Context(command, info_name=f"codejury {name}") as context:
        return " ".join([context.command_path, *command.collect_usage_pieces(context)])


def _metavar(parameter: click.Parameter, command: click.Command) -> str:
    with click.Context(command) as context:
        try:
            return parameter.make_metavar(context)
        except TypeError:  # click before 8.2
            return parameter.make_metavar()  # type: ignore[call-arg]


def _row(option: click.Option, command: click.Command) -> list[str]:
    names = ", ".join([*option.opts, *option.secondary_opts])
    value = "" if option.is_flag or option.count else _metavar(option, command)
    return [code(f"{names} {value}".strip()), plain(option.help or ""), _default(option, command)]


def _default(option: click.Option, command: click.Command) -> str:
    if option.required:
        return "needed"
    if isinstance(option.show_default, str):
        return plain(option.show_default)
    with click.Context(command) as context:
        value = option.get_default(context, call=True)
    if value is None or value is False or value == () or repr(value) == "Sentinel.UNSET":
        return ""
    return code(str(value)) if not option.is_flag else "yes"
