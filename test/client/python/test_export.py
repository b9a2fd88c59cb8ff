from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from stage import EXPORTS

from tallywire import read_export, read_manifest, rows_of


def path_of(stream: str, form: str) -> Path:
    return Path(EXPORTS) / f"{stream}.{form}"


class Exports(unittest.TestCase):
    def test_are_the_same_in_every_format(self) -> None:
        has_parquet = importlib.util.find_spec("pyarrow") is not None
        for stream in ("predictions", "scores", "posts"):
            plain = read_export(path_of(stream, "ndjson"))
            manifest = read_manifest(path_of(stream, "ndjson"))
            self.assertEqual(len(plain), manifest["rows"])
            self.assertEqual(list(plain.columns), [column["name"] for column in manifest["columns"]])
            for form in ("csv", "parquet") if has_parquet else ("csv",):
                other = read_export(path_of(stream, form))
                self.assertEqual(other.dtypes.tolist(), plain.dtypes.tolist())
                self.assertEqual(
                    other.astype(object).where(other.notna(), None).to_dict("records"),
                    plain.astype(object).where(plain.notna(), None).to_dict("records"),
                )
        if not has_parquet:
            with self.assertRaisesRegex(ImportError, "reading Parquet needs the package pyarrow"):
                read_export(path_of("scores", "parquet"))

    def test_keep_types_where_values_are_missing(self) -> None:
        for form in ("csv", "ndjson"):
            scores = read_export(path_of("scores", form), times=True)
            kinds = {
                name: str(scores.dtypes[name]) for name in ("seq", "won_lo", "model_is_covered", "model_crps")
            }
            self.assertEqual(
                kinds,
                {"seq": "int64", "won_lo": "Int64", "model_is_covered": "boolean", "model_crps": "float64"},
            )
            self.assertRegex(str(scores.dtypes["made_ts"]), r"^datetime64\[.s, UTC\]$")
            void = scores[scores["status"] == "void"]
            self.assertEqual((len(void), void["won_lo"].isna().all()), (1, True))
            posts = read_export(path_of("posts", form))
            self.assertEqual(posts["id"].tolist(), ["1048576000000000001", "2"])
            self.assertEqual(posts["text"].tolist(), ['says "no", and\r\ngoes', ""])

    def test_give_a_row_for_each_bucket(self) -> None:
        buckets = rows_of(read_export(path_of("predictions", "csv")), "buckets")
        self.assertEqual(len(buckets), 80)
        self.assertEqual(buckets["bucket_lo"].tolist()[:2], [0, 20])
        self.assertEqual(buckets["forecast_id"].tolist()[:2], ["1-24", "1-24"])

    def test_that_were_changed_are_refused(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("scores.csv", "scores.csv.manifest.json"):
                shutil.copy(Path(EXPORTS) / name, folder)
            changed = Path(folder) / "scores.csv"
            changed.write_bytes(changed.read_bytes() + b"\r\n")
            with self.assertRaisesRegex(ValueError, "not the file that its manifest describes"):
                read_export(changed)

    def test_are_all_that_needs_pandas(self) -> None:
        # In a program of its own, as another test may have loaded it here.
        code = "import sys, tallywire; print([name for name in sys.modules if name in ('pandas', 'numpy')])"
        found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual(found.stdout.strip(), "[]")
