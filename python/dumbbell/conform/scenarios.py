"""The scenario of a criterion as a file that `dumbbell run` reads."""

from __future__ import annotations

from pathlib import Path

from ..errors import ScenarioError
from ..studies.frame.publish import scenario_text
from .criterion import Criterion, Tables
from .subject import Subject

SEEDS = 5
"""The runs of a criterion, unless the caller wants another number."""
AGAINST = "/against"
"""What follows the id of a criterion where the scenario of the other algorithm is meant."""


def scenario(criterion: Criterion, subject: Subject) -> Tables:
    """The scenario of a criterion for an algorithm. Raises `ScenarioError` if it has none."""
    if criterion.scenario is None:
        raise ScenarioError(f"{criterion.id} has no scenario: {criterion.excuse(subject)}")
    return criterion.scenario(subject)


def text(criterion: Criterion, subject: Subject, seeds: int, other: bool = False) -> str:
    """The scenario as TOML, with what its number is. other: that of the algorithm with which the
    criterion compares."""
    if other and criterion.against is None:
        raise ScenarioError(f"{criterion.id} compares with no other algorithm")
    one = subject.as_other(criterion.against) if other and criterion.against else subject
    made = scenario(criterion, one)
    if one.use and one is subject:
        made = {"use": [str(Path(file).resolve()) for file in one.use], **made}
    lines = [f"# {criterion.id}: {criterion.runs}", f"# The number: {criterion.number}."]
    if criterion.against and not other:
        lines.append(
            f"# It is divided by that of {criterion.against}, seed by seed: "
            f"--scenario {criterion.id}{AGAINST}"
        )
    if criterion.bound_text:
        lines.append(f"# The criterion: {criterion.bound_text}.")
    return "\n".join([*lines, "", scenario_text({**made, "replications": seeds}), ""])
