"""Writes the files py-* (pyarrow) and pl-* (polars): one table of 100 rows, whose values
follow from the row's number (TestFilesOfPython says how), in every encoding, compression
and version of pages.

    pip install pyarrow==26.0.1 polars==2.1.0 pandas==3.1.1
    python generate.py .
"""
import datetime
import decimal
import pathlib
import sys

import pandas
import polars
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

out = sys.argv[1]
n = 100
rows = range(n)


def gaps(values):
    return [None if i % 7 == 3 else v for i, v in enumerate(values)]


numbers = {
    "i8": pa.array([i - 50 for i in rows], pa.int8()),
    "i16": pa.array([300 * (i - 50) for i in rows], pa.int16()),
    "i32": pa.array([(i - 50) ** 5 for i in rows], pa.int32()),
    "i64": pa.array([(i - 50) ** 7 for i in rows], pa.int64()),
    "u8": pa.array([2 * i for i in rows], pa.uint8()),
    "u16": pa.array([600 * i for i in rows], pa.uint16()),
    "u32": pa.array([40_000_000 * i for i in rows], pa.uint32()),
    "u64": pa.array([180_000_000_000_000_000 * i for i in rows], pa.uint64()),
    "f16": pa.array([(i - 50) / 4 for i in rows], pa.float16()),
    "f32": pa.array([(i - 50) / 8 for i in rows], pa.float32()),
    "f64": pa.array([(i - 50) / 3 for i in rows], pa.float64()),
    "flag": pa.array([i % 3 == 1 for i in rows], pa.bool_()),
    "d128": pa.array([decimal.Decimal(i - 50) / 4 for i in rows], pa.decimal128(30, 2)),
    "gap": pa.array(gaps([i / 3 for i in rows]), pa.float64()),
    "gapi": pa.array(gaps(rows), pa.int32()),
}
words = {
    "word": pa.array([f"w{i % 5}" for i in rows], pa.string()),
    "long": pa.array([f"a word of many letters {i % 4}" for i in rows], pa.string()),
    "gapword": pa.array(gaps([f"w{i % 3}" for i in rows]), pa.string()),
}
others = {
    "kind": pa.array([f"k{i % 3}" for i in rows]).dictionary_encode(),
    "when": pa.array([datetime.datetime(2026, 1, 1) + datetime.timedelta(hours=i) for i in rows], pa.timestamp("ms")),
    "took": pa.array([1000 * i for i in rows], pa.duration("ms")),
    "list": pa.array([[i, i + 1] for i in rows], pa.list_(pa.float64())),
    "pair": pa.array([{"a": i, "b": str(i)} for i in rows]),
    "none": pa.nulls(n),
}
table = pa.table(numbers | words | others)
small = dict(row_group_size=37, data_page_size=64, write_batch_size=5)


def parquet(name, t=table, **options):
    pq.write_table(t, f"{out}/py-{name}.parquet", **options)


parquet("snappy")
parquet("pages2-zstd", compression="zstd", data_page_version="2.0", write_page_checksum=True, **small)
parquet("pages1-gzip", compression="gzip", use_dictionary=False, **small)
parquet("brotli", compression="brotli", version="1.0")
parquet("lz4", compression="lz4", use_dictionary=False)
ints = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "gapi"]
plain = pa.table(numbers | words)
parquet("delta", plain, compression="none", use_dictionary=False, data_page_version="2.0",
        column_encoding={c: "DELTA_BINARY_PACKED" for c in ints} | {"word": "DELTA_BYTE_ARRAY", "long": "DELTA_BYTE_ARRAY", "gapword": "DELTA_LENGTH_BYTE_ARRAY", "d128": "DELTA_BYTE_ARRAY", "flag": "RLE"})
parquet("split", plain, compression="none", use_dictionary=False,
        column_encoding={c: "BYTE_STREAM_SPLIT" for c in ["i32", "i64", "f16", "f32", "f64", "d128", "gap"]} | {"word": "DELTA_LENGTH_BYTE_ARRAY"})
parquet("decimals-as-integers", pa.table(numbers | words | {"d128": numbers["d128"].cast(pa.decimal128(15, 2))}), store_decimal_as_integer=True)

pq.write_table(pa.table({c: pa.array([], pa.float64()) for c in "xy"}), f"{out}/no-rows.parquet", store_schema=False)

wide = table.set_column(table.schema.get_field_index("word"), "word", table["word"].cast(pa.large_string()))
wide = wide.set_column(wide.schema.get_field_index("d128"), "d128", wide["d128"].cast(pa.decimal256(60, 2)))
wide = wide.set_column(wide.schema.get_field_index("long"), "long", wide["long"].cast(pa.string_view()))


def batches(t, writer):
    for b in t.to_batches(max_chunksize=37):
        writer.write_batch(b)
    writer.close()


for name, codec in [("plain", None), ("lz4", "lz4"), ("zstd", "zstd")]:
    options = pa.ipc.IpcWriteOptions(compression=codec)
    batches(wide, pa.ipc.new_file(f"{out}/py-{name}.arrow", wide.schema, options=options))
batches(table, pa.ipc.new_stream(f"{out}/py-stream.arrows", table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")))
pa.feather.write_feather(table, f"{out}/py.feather", chunksize=50)

# Dictionaries that come again: what is new in them, or others in their place.
for name, known in [("deltas", [["k0", "k1"], ["k0", "k1", "k2"]]), ("replaced", [["k0", "k1"], ["k2", "k0"]])]:
    parts = [pa.record_batch({"i8": pa.array([int(k[1]) for k in kinds], pa.int8()),
                              "kind": pa.DictionaryArray.from_arrays(pa.array(range(len(kinds)), pa.int8()), kinds)}) for kinds in known]
    w = pa.ipc.new_stream(f"{out}/py-{name}.arrows", parts[0].schema, options=pa.ipc.IpcWriteOptions(emit_dictionary_deltas=name == "deltas"))
    for part in parts:
        w.write_batch(part)
    w.close()

frame = polars.from_arrow(pa.table({k: v for k, v in numbers.items() if k != "f16"} | words | {"kind": others["kind"], "when": others["when"], "list": others["list"]}))
frame.write_parquet(f"{out}/pl-zstd.parquet", compression="zstd", row_group_size=37, data_page_size=64)
frame.write_parquet(f"{out}/pl-plain.parquet", compression="uncompressed")
frame.write_ipc(f"{out}/pl-lz4.arrow", compression="lz4")
frame.write_ipc(f"{out}/pl-plain.arrow", compression="uncompressed")
pathlib.Path(out, "wide").mkdir(exist_ok=True)

polars.DataFrame({"wide": polars.Series([1, 2, 3], dtype=polars.Int128), "y": [1.5, 2.5, 3.5]}).write_ipc(f"{out}/wide/pl.arrow", compression="uncompressed")

# Compressed blocks that reach into those before them.
many = pa.table({"x": pa.array([i % 977 / 4 for i in range(70_000)], pa.float64())})
for codec in "lz4", "zstd":
    with pa.ipc.new_file(f"{out}/py-many-{codec}.arrow", many.schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as w:
        w.write_table(many)
pq.write_table(many, f"{out}/py-many-lz4.parquet", compression="lz4", use_dictionary=False)

# Nanoseconds, of which float64 does not hold those of today.
pathlib.Path(out, "nanos").mkdir(exist_ok=True)
table = pa.table({"when": pa.array([1700000000123456789, -999, 1, -1, 1700000000000001000], pa.timestamp("ns")), "y": [1.5, 2.5, 3.5, 4.5, 5.5]})
pq.write_table(table, f"{out}/nanos/py.parquet", compression="none")
pa.feather.write_feather(table, f"{out}/nanos/py.arrow", compression="uncompressed")

# A table without rows, whose columns pandas leaves without a type, and one with rows.
pathlib.Path(out, "untyped").mkdir(exist_ok=True)
for name, table in [("none", pa.table({k: pa.nulls(0) for k in ("x", "word", "when", "y")})),
                    ("some", pa.table({"x": [1.5, 2.5, 3.5], "word": ["b", "a", "b"], "when": pa.array([1, 2, 3], pa.date32()), "y": [4.5, 5.5, 6.5]}))]:
    pq.write_table(table, f"{out}/untyped/{name}.parquet", compression="none")
    pq.write_table(table, f"{out}/untyped/{name}-plain.parquet", compression="none", store_schema=False)
    pa.feather.write_feather(table, f"{out}/untyped/{name}.feather", compression="uncompressed")

# A frame of pandas with a named index, which is written behind its columns.
pathlib.Path(out, "index").mkdir(exist_ok=True)
frame = pandas.DataFrame({"x": [1.5, 2.5, 4.5], "y": [4.5, 5.5, 6.5]}, index=pandas.Index([7, 8, 7], name="step"))
frame.to_parquet(f"{out}/index/frame.parquet", compression=None)
frame.to_feather(f"{out}/index/frame.feather", compression="uncompressed")
