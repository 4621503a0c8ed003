"""`completion`: the script with which a shell completes Dumbbell's command line."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

# An override is written on: no space follows `queue.` and `queue.limit=`, nor the name of a folder.
_BASH = """
_dumbbell_unfinished() {
  _dumbbell "$@"
  [[ ${COMPREPLY[0]-} == *[=./] ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _dumbbell_unfinished dumbbell
"""

_WHERE = (
    "The shell that reads the script, when it starts, from its own folder. "
    "bash: ~/.local/share/bash-completion/completions/dumbbell; "
    "zsh: _dumbbell in a folder of fpath, such as ~/.zfunc; "
    "fish: ~/.config/fish/completions/dumbbell.fish. As in: dumbbell completion bash > "
    "~/.local/share/bash-completion/completions/dumbbell. After an upgrade, write it again."
)


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(help=_WHERE)],
    /,
) -> int:
    """Print the script with which a shell completes commands, options, files, algorithms, papers
    and keys of scenarios.

    Example: `dumbbell completion zsh`
    """
    from . import app

    script = app().generate_completion(prog_name="dumbbell", shell=shell)
    print(script.rstrip("\n") + (_BASH if shell == "bash" else ""))
    return 0
