"""Write one table in every format that pandas, polars, pyarrow and fastavro write."""

import datetime as dt
from decimal import Decimal

import fastavro
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

rng = np.random.default_rng(7)
N = 48
x, mood = rng.normal(size=N), rng.random(N) < 0.5
x[3:6] = -0.0, 5e-324, 1e22
words = np.array(["red", "gr,een", 'b"lue'])[rng.integers(0, 3, N)]
when = [dt.datetime(2020, 1, 1) + dt.timedelta(hours=int(h), microseconds=int(u)) for h, u in zip(rng.integers(0, 30000, N), rng.integers(0, 10**9, N))]
level = rng.integers(0, 3, N)


def gaps(values):
    return [None if rng.random() < 0.1 else v for v in values]


table = pa.table({
    "x": x,
    "few": pa.array(gaps(rng.integers(0, 9, N).tolist()), pa.int64()),
    "big": pa.array((2**53 + rng.integers(0, 5000, N)).tolist(), pa.int64()),
    "gappy": pa.array([None if i == 5 else float(v) for i, v in enumerate(rng.normal(size=N))]),
    "price": pa.array([Decimal(int(v)) / 100 for v in rng.integers(-999, 999, N)], pa.decimal128(10, 2)),
    "flag": pa.array(gaps(mood.tolist()), pa.bool_()),
    "word": pa.array(gaps(words.tolist())),
    "level": pa.array(np.array(["low", "mid", "high"])[level]).dictionary_encode(),
    "day": pa.array(gaps([w.date() for w in when])),
    "at": pa.array(when, pa.timestamp("us")),
    "clock": pa.array([w.time() for w in when], pa.time64("us")),
    "endless": np.where(np.arange(N) == 7, np.inf, 1.0),
    "w": rng.integers(0, 4, N) / 2,
    "side": rng.random(N) < 0.5,
    "size": np.clip(x, -3, 3) + mood,
    "good": np.clip(x, -3, 3) + mood > 0.5,
    "code": 1000 + 37 * level,
    "name": pa.array(np.array(["no", "maybe", "yes"])[level]).dictionary_encode(),
    "unsaid": pa.array([None if i == 9 else bool(m) for i, m in enumerate(mood)]),
    "digits": pa.array([None if i == 9 else f"{i / 4:g}" for i in range(N)]),
    "account": pa.array((2**60 + np.arange(N) // 4).tolist(), pa.int64()),
    "term": pa.array([dt.date(2024, 3 * v + 1, 1) for v in level]),
    "midnight": pa.array([dt.datetime(2024, 3 * v + 1, 1) for v in level], pa.timestamp("us")),
    "shift": pa.array([dt.time(8 * v, 30) for v in level], pa.time64("us")),
    "instant": pa.array([dt.datetime(2024, 3, 31, v, 0, 0, 500 * v) for v in level], pa.timestamp("us", "UTC")),
    "berlin": pa.array([dt.datetime(2024, 3, 31, v) for v in level], pa.timestamp("us", "Europe/Berlin")),
})
frame, rows = pl.from_arrow(table), table.to_pylist()
table.to_pandas().astype({"few": "Int64"}).to_csv("pandas.csv", index=False)
pa.parquet.write_table(table, "py.parquet")
pa.feather.write_feather(table, "py.arrow")
with pa.ipc.new_stream("py.arrows", table.schema) as out:
    out.write_table(table)
frame.write_csv("polars.tsv", separator="\t")
frame.write_parquet("polars.parquet")
frame.write_ipc("polars.arrow")

AVRO = {
    "int64": "long", "double": "double", "bool": "boolean", "string": "string", "date32[day]": {"type": "int", "logicalType": "date"},
    "timestamp[us, tz=UTC]": {"type": "long", "logicalType": "timestamp-micros"}, "timestamp[us, tz=Europe/Berlin]": {"type": "long", "logicalType": "timestamp-micros"},
    "timestamp[us]": {"type": "long", "logicalType": "local-timestamp-micros"}, "time64[us]": {"type": "long", "logicalType": "time-micros"},
    "decimal128(10, 2)": {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2},
}
fields = [{"name": f.name, "type": ["null", AVRO.get(str(f.type), "string")]} for f in table.schema]
with open("fast.avro", "wb") as out:
    fastavro.writer(out, fastavro.parse_schema({"type": "record", "name": "row", "fields": fields}), rows)
