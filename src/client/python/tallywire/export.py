"""Files of `tallywire export` as DataFrames. pandas is imported only here, and only when a file is read."""

from __future__ import annotations

import csv
import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    import pandas


class ManifestColumn(TypedDict):
    name: str
    #: `INT64`, `DOUBLE`, `BOOLEAN`, `UTF8` or `LIST<…>`.
    type: str
    nullable: bool


class Manifest(TypedDict):
    """What `tallywire export` writes beside a file."""

    stream: str
    schema_version: int
    format: str
    file: str
    rows: int
    bytes: int
    sha256: str
    from_seq: int
    to_seq: int
    tallywire_version: str
    graph_version: int
    columns: list[ManifestColumn]


def read_manifest(path: str | os.PathLike[str]) -> Manifest:
    manifest: Manifest = json.loads(Path(f"{os.fspath(path)}.manifest.json").read_text("utf-8"))
    return manifest


def read_export(path: str | os.PathLike[str], *, times: bool = False) -> pandas.DataFrame:
    """The rows of a file, with the types that its manifest gives: the same for Parquet, NDJSON and CSV.

    Integers and booleans that may be missing are of the nullable types of pandas; lists are lists. With `times` the
    columns that end in `_ts`, which are UTC ms, become times. A file that is not the one its manifest describes is
    refused with a ValueError.
    """
    import pandas

    manifest = read_manifest(path)
    if _sha256(path) != manifest["sha256"]:
        raise ValueError(
            f"{os.fspath(path)} is not the file that its manifest describes: its SHA-256 differs"
        )
    readers = {"csv": _read_csv, "ndjson": _read_ndjson, "parquet": _read_parquet}
    cells = readers[manifest["format"]](path, manifest["columns"])
    series = {}
    for column in manifest["columns"]:
        name = column["name"]
        series[name] = pandas.Series(cells[name], dtype=_dtype(column), name=name)
        if times and name.endswith("_ts"):
            series[name] = pandas.to_datetime(series[name], unit="ms", utc=True)
    return pandas.DataFrame(series)


def rows_of(frame: pandas.DataFrame, column: str) -> pandas.DataFrame:
    """One row for each item of a list column, such as `buckets` of predictions. The fields of an item become columns
    `column_field` (`bucket_lo` of `buckets`); the other columns are repeated."""
    import pandas

    long = frame.explode(column).dropna(subset=[column]).reset_index(drop=True)
    items = pandas.DataFrame(long[column].tolist()).add_prefix(f"{column.removesuffix('s')}_")
    return pandas.concat([long.drop(columns=column), items], axis=1)


Cells = dict[str, list[Any]]


def _read_csv(path: str | os.PathLike[str], columns: list[ManifestColumn]) -> Cells:
    # The csv module takes an empty text for nothing at all, and so does this where a column may be missing.
    csv.field_size_limit(2**31 - 1)
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        next(rows)
        by_column = list(zip(*rows)) or [()] * len(columns)
    return {
        column["name"]: [_from_text(text, column) for text in texts]
        for column, texts in zip(columns, by_column)
    }


def _from_text(text: str, column: ManifestColumn) -> Any:
    if text == "" and column["nullable"]:
        return None
    kind = column["type"]
    if kind == "INT64":
        return int(text)
    if kind == "DOUBLE":
        return float(text)
    if kind == "BOOLEAN":
        return text == "true"
    return json.loads(text) if kind.startswith("LIST") else text


def _read_ndjson(path: str | os.PathLike[str], columns: list[ManifestColumn]) -> Cells:
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return {column["name"]: [row[column["name"]] for row in rows] for column in columns}


def _read_parquet(path: str | os.PathLike[str], columns: list[ManifestColumn]) -> Cells:
    try:
        import pyarrow.parquet
    except ImportError as cause:
        detail = "reading Parquet needs the package pyarrow; `tallywire export --format ndjson` needs none"
        raise ImportError(detail) from cause
    table = pyarrow.parquet.read_table(path)
    return {column["name"]: table.column(column["name"]).to_pylist() for column in columns}


def _dtype(column: ManifestColumn) -> str:
    kind, nullable = column["type"], column["nullable"]
    if kind == "INT64":
        return "Int64" if nullable else "int64"
    if kind == "BOOLEAN":
        return "boolean" if nullable else "bool"
    if kind == "DOUBLE":
        return "float64"
    return "string" if kind == "UTF8" else "object"


def _sha256(path: str | os.PathLike[str]) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
