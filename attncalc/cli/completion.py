"""`attncalc completion`"""

from __future__ import annotations

import click


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script for SHELL.

    \b
    bash: echo 'eval "$(attncalc completion bash)"' >> ~/.bashrc
    zsh:  echo 'eval "$(attncalc completion zsh)"' >> ~/.zshrc
    fish: attncalc completion fish > ~/.config/fish/completions/attncalc.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"no completion for {shell}")
    cli = click.get_current_context().find_root().command
    click.echo(kind(cli, {}, "attncalc", "_ATTNCALC_COMPLETE").source())
