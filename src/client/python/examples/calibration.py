"""From `tallywire export` to a calibration plot: how often did a bucket win that was given a probability of 30 %?

    tallywire export predictions --format ndjson -o predictions.ndjson
    tallywire export scores --format ndjson -o scores.ndjson
    python3 calibration.py predictions.ndjson scores.ndjson -o calibration.svg

The cells begin with `# %%`, which notebooks and editors know.
"""

# %% What to read and where to draw
from __future__ import annotations

import argparse
from typing import Any

import matplotlib
import numpy
import pandas

from tallywire import read_export, rows_of

matplotlib.use("Agg")
from matplotlib import pyplot

parser = argparse.ArgumentParser(description="Draws how probabilities compare with what happened.")
parser.add_argument("predictions", help="file of `tallywire export predictions`")
parser.add_argument("scores", help="file of `tallywire export scores`")
parser.add_argument("-o", "--output", default="calibration.svg", help="picture to write, SVG or PNG")
parser.add_argument("--account", help="of this account alone")
parser.add_argument("--origin", choices=["live", "history"], help="made live, or over the past")
parser.add_argument("--least", type=int, default=5, help="events in a bin; smaller bins are merged")
arguments = parser.parse_args()

# %% Forecasts whose event is settled, one row for each bucket
forecasts = read_export(arguments.predictions)
settled = read_export(arguments.scores).query("status == 'settled'")
if arguments.account is not None:
    settled = settled.query("account == @arguments.account")
if arguments.origin is not None:
    settled = settled.query("origin == @arguments.origin")
won = settled[["forecast_id", "won_lo"]].drop_duplicates("forecast_id")
columns = ["forecast_id", "event_id", "horizon_hours", "buckets"]
# A forecast that was made again under the same id is scored as it was at last.
scored = forecasts[columns].drop_duplicates("forecast_id", keep="last").merge(won, on="forecast_id")
if scored.empty:
    raise SystemExit("no forecast in these files is settled yet: run the service until an event has closed")
buckets = rows_of(scored, "buckets")
buckets["won"] = (buckets["bucket_lo"] == buckets["won_lo"]).fillna(False).astype(bool)


# %% Shares by probability, with intervals by event
def calibration(probs: Any, won: Any, events: Any, least: int) -> pandas.DataFrame:
    """Tenths of probability, merged until each has `least` events. Buckets of one event win or lose together, so the
    90 % intervals draw whole events, and not single buckets."""
    tenths = numpy.minimum((probs * 10).astype(int), 9)
    codes, _ = pandas.factorize(events)
    edges = [0]
    for tenth in range(1, 11):
        inside = (tenths >= edges[-1]) & (tenths < tenth)
        if len(set(codes[inside])) >= least:
            edges.append(tenth)
    # What is left over at the top is too small to stand alone.
    edges = [*edges[: max(1, len(edges) - 1)], 10]
    of_bin = numpy.searchsorted(edges, tenths, side="right") - 1
    shape = (codes.max() + 1, of_bin.max() + 1)
    counts, wins = numpy.zeros(shape), numpy.zeros(shape)
    numpy.add.at(counts, (codes, of_bin), 1)
    numpy.add.at(wins, (codes, of_bin), won)
    draws = numpy.random.default_rng(1).integers(0, shape[0], (1000, shape[0]))
    with numpy.errstate(invalid="ignore"):
        shares = wins[draws].sum(axis=1) / counts[draws].sum(axis=1)
    rows = []
    for each in range(shape[1]):
        inside = of_bin == each
        interval: Any = numpy.nanpercentile(shares[:, each], [5, 95])
        rows.append(
            {
                "n": int(inside.sum()),
                "events": len(set(codes[inside])),
                "mean_prob": probs[inside].mean(),
                "won_share": won[inside].mean(),
                "low": interval[0],
                "high": interval[1],
            }
        )
    return pandas.DataFrame(rows)


def of(column: str) -> pandas.DataFrame:
    known = buckets.dropna(subset=[column])
    values = (known[column].to_numpy(dtype=float), known["won"].to_numpy(), known["event_id"].to_numpy())
    return calibration(*values, least=arguments.least)


lines = {"model": of("bucket_prob"), "pace": of("bucket_pace_prob")}
if buckets["bucket_price"].notna().any():
    lines["market"] = of("bucket_price")
for name, line in lines.items():
    print(f"\n{name}\n{line.round(3).to_string(index=False)}")

# %% The picture
figure, axes = pyplot.subplots(figsize=(6, 6))
axes.plot([0, 1], [0, 1], color="0.7", linewidth=1, zorder=0)
for place, (name, line) in enumerate(lines.items()):
    # Side by side, so that whiskers do not hide each other.
    x = line["mean_prob"] + (place - 1) * 0.006
    axes.vlines(x, line["low"], line["high"], color=f"C{place}", linewidth=1)
    axes.scatter(x, line["won_share"], color=f"C{place}", s=20, label=name)
events, rows = buckets["event_id"].nunique(), scored["forecast_id"].nunique()
axes.set(xlabel="probability", ylabel="share that won", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
axes.set_title(f"{rows} forecasts of {events} events, 90 % intervals by event", fontsize=10)
axes.legend(frameon=False)
figure.savefig(arguments.output, bbox_inches="tight")
print(f"\nwrote {arguments.output}")
