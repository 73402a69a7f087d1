"""`attncalc completion`: the scripts of click for bash, zsh and fish, and a script for PowerShell."""

from __future__ import annotations

import os
from typing import ClassVar

import click
from click.shell_completion import (
    CompletionItem,
    ShellComplete,
    add_completion_class,
    get_completion_class,
    split_arg_string,
)

VARIABLE = "_ATTNCALC_COMPLETE"

# If the script returns nothing, PowerShell completes file names.
_SOURCE = """\
Register-ArgumentCompleter -Native -CommandName %(prog_name)s -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $env:%(complete_var)s = "powershell_complete"
    $env:COMP_WORDS = $commandAst.ToString()
    $env:COMP_CWORD = $wordToComplete
    try {
        %(prog_name)s | Where-Object { $_ } | ForEach-Object {
            $value, $help = $_ -split "`t", 2
            [System.Management.Automation.CompletionResult]::new($value, $value, "ParameterValue", $help)
        }
    }
    finally {
        Remove-Item Env:%(complete_var)s, Env:COMP_WORDS, Env:COMP_CWORD
    }
}
"""


@add_completion_class
class PowerShellComplete(ShellComplete):
    """Completion for PowerShell's `Register-ArgumentCompleter -Native`: each line is a word, a tab and its help."""

    name: ClassVar[str] = "powershell"
    source_template: ClassVar[str] = _SOURCE

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the cursor, without the program's name, and the incomplete word."""
        words = split_arg_string(os.environ["COMP_WORDS"])[1:]
        begun = os.environ.get("COMP_CWORD", "")
        if begun and words and words[-1] == begun:
            words.pop()
        return words, begun

    def format_completion(self, item: CompletionItem) -> str:
        """Return a word and its help in one line; empty for files, because PowerShell completes them."""
        if item.type != "plain":
            return ""
        return f"{item.value}\t{' '.join(item.help.split()) if item.help else item.value}"

    def complete(self) -> str:
        return "\n".join(line for line in super().complete().splitlines() if line)


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish", "powershell"]))
def command(shell: str) -> None:
    """Print the script for tab completion in your shell.

    \b
    bash:       echo 'eval "$(attncalc completion bash)"' >> ~/.bashrc
    zsh:        echo 'eval "$(attncalc completion zsh)"' >> ~/.zshrc
    fish:       attncalc completion fish > ~/.config/fish/completions/attncalc.fish
    PowerShell: attncalc completion powershell >> $PROFILE
    """
    kind = get_completion_class(shell)
    assert kind is not None, "click offers only shells that it knows"
    cli = click.get_current_context().find_root().command
    click.echo(kind(cli, {}, "attncalc", VARIABLE).source())
