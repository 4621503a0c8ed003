"""Tables that any dataframe library takes as they are, by the Arrow PyCapsule protocol."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, cast

from ..errors import EnvironmentLacks

if TYPE_CHECKING:
    import polars

    from .. import _native

Value = float | int | str | bool | None
"""Types of a cell."""

_SHOWN = 10


class Table:
    """Columns by name, in memory. Whatever speaks the Arrow PyCapsule protocol takes it without a
    copy: `polars.DataFrame(table)`, `pyarrow.table(table)`. Without any such library, `column`
    gives lists. `to_polars` and `to_pandas` name two of them."""

    def __init__(self, native: _native.Table) -> None:
        self._native = native

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The table in a capsule, for libraries."""
        return self._native.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        """Names and types of the columns in a capsule, for libraries."""
        return self._native.__arrow_c_schema__()

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._native.columns

    def __len__(self) -> int:
        return len(self._native)

    def column(self, name: str, limit: int | None = None) -> list[Value]:
        """The values of a column, at most `limit` of them. `KeyError` names the columns that there
        are."""
        return self._native.column(name, limit)

    def numbers(self, name: str) -> list[float]:
        """The values of a column of numbers; what was not measured is NaN. `TypeError` if it holds
        words."""
        return [_number(name, value) for value in self.column(name)]

    def rows(self, limit: int | None = None) -> list[dict[str, Value]]:
        """The rows as dictionaries, at most `limit` of them."""
        columns = [self.column(name, limit) for name in self.columns]
        return [
            dict(zip(self.columns, values, strict=True)) for values in zip(*columns, strict=True)
        ]

    def to_polars(self) -> polars.DataFrame:
        """The table as a dataframe of polars, without a copy. `EnvironmentLacks` without polars."""
        return cast("polars.DataFrame", _library("polars", "polars").DataFrame(self))

    def to_pandas(self) -> Any:
        """The table as a dataframe of pandas; it holds a copy. What was not measured is NaN in a
        column of numbers, and None in one of words. `EnvironmentLacks` without pandas."""
        columns = {name: self.column(name) for name in self.columns}
        return _library("pandas", "pandas").DataFrame(columns)

    def _repr_html_(self) -> str:
        from ..present import html

        return html.table(self, _SHOWN)

    def __repr__(self) -> str:
        return f"<Table of {len(self)} rows: {', '.join(self.columns)}>"


def _library(name: str, package: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise EnvironmentLacks(f"to_{name} needs {name}: pip install {package}") from None


def _number(name: str, value: Value) -> float:
    if isinstance(value, str):
        raise TypeError(f"`{name}` contains text, not numbers")
    return float("nan") if value is None else float(value)
