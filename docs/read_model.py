#!/usr/bin/env python3
"""Predict with a model of rff in NumPy, as `rff predict` does.

Reads rows as CSV from standard input, or from FILE, and writes a header and one line
of CSV for each: the predicted class or number. With a header line of their own,
columns are matched by name if the model knows names, and those that it does not know
are ignored; without one they are the model's columns in order. Words and missing
values go by the rules of the model. model-format.md describes the file, and how near
to the command the predictions are.

As a module: meta, tensors = read(path), then scores(meta, tensors, x) for an n×d
array x, probabilities(...) and classes(...) of scores.
"""
import argparse
import csv
import datetime
import decimal
import json
import re
import struct
import sys

try:
    import numpy as np
except ImportError:  # --help works without it
    np = None


def read(path):
    """Metadata and tensors of a model: safetensors, little-endian."""
    with open(path, "rb") as f:
        raw = f.read()
    n = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + n])
    meta = header.pop("__metadata__")
    if meta.get("version") != "1":
        raise SystemExit(f"read_model.py: {path} has format version {meta.get('version')}, and this program reads version 1")
    kind = {"F64": "<f8", "I64": "<i8"}
    return meta, {k: np.frombuffer(raw, kind[v["dtype"]], int(np.prod(v["shape"])), 8 + n + v["data_offsets"][0])
                  .reshape(v["shape"]) for k, v in header.items()}


def hadamard(x):
    """The unnormalised Walsh–Hadamard transform of each row."""
    h = 1
    while h < x.shape[1]:
        a = x.reshape(len(x), -1, 2, h)
        x, h = np.stack([a[:, :, 0] + a[:, :, 1], a[:, :, 0] - a[:, :, 1]], 2).reshape(len(x), -1), 2 * h
    return x


def bent(t, x):
    """Columns that go through points (from, to), straight between and constant beyond."""
    x, first = np.array(x, float), 0
    for j, k in enumerate(t.get("scaling.points", [])):
        if k:
            x[:, j] = np.interp(x[:, j], t["scaling.from"][first:first + k], t["scaling.to"][first:first + k])
            first += k
    return x


def sections(kind, t, x):
    """n×s values of the kernel between rows x and landmarks."""
    x, c = ((v - t["map.shift"]) * t["map.scale"] for v in (x, t["map.landmarks"]))
    terms, _, name = kind.partition(" ")
    if terms in ("l1", "l3/2"):
        power = {"l1": 1, "l3/2": 1.5}[terms]
        kind, u = name, sum(np.abs(x[:, j, None] - c[:, j])**power for j in range(x.shape[1]))
    else:
        u = np.maximum((x * x).sum(1)[:, None] + (c * c).sum(1) - 2 * x @ c.T, 0)
    a = np.log(2) * np.sqrt(u)
    z = {"gaussian section": lambda: np.exp2(-u), "exponential section": lambda: np.exp(-a),
         "matern 3/2 section": lambda: (1 + a) * np.exp(-a), "matern 5/2 section": lambda: (1 + a + a * a / 3) * np.exp(-a),
         "cauchy section": lambda: 1 / (1 + u)}[kind]() * t["map.weight"]
    return z @ t["map.product"] if "map.product" in t else z


def trees(depth, x, width, columns, threshold, value):
    """n×Keep: the sum over trees of the rows of their tables that the comparisons choose."""
    rows, sums, first = np.arange(len(x)), 0, 0
    for i in range(0, len(width), depth):
        row = np.zeros(len(x), int)
        for d in range(depth):
            at = first + (row if width[i + d] > 1 else 0 * row)
            row = row + (x[rows, columns[at]] > threshold[at]) * (1 << d)
            first += width[i + d]
        sums = sums + value[(i // depth << depth) + row]
    return sums


def features(meta, t, x):
    """n×s features of raw rows x, n×d."""
    x = (bent(t, x) - t.get("scaling.shift", 0)) / t.get("scaling.scale", 1)
    if "map.landmarks" in t:
        return sections(meta["map.func"], t, x)
    if "map.frequencies" in t:
        p = x @ t["map.frequencies"].T
    else:
        p = []
        for i, b in enumerate(json.loads(meta["map.blocks"])):
            v, k = np.pad(x, ((0, 0), (0, b["Size"] - x.shape[1]))), f"map.blocks.{i}."
            for j in reversed(range(b["Diagonals"])):
                v = v[:, t[k + "permutation"]] if j == 0 and k + "permutation" in t else v
                v = hadamard(v * t[k + f"d.{j}"])
            if "Depth" in b:
                at = x if meta["precision"] == "float64" else x.astype("f4")
                columns = t[k + "trees.input"]
                width = t.get(k + "trees.width", np.ones(len(columns), int))
                v = trees(b["Depth"], at, width, columns, t[k + "trees.threshold"], t[k + "trees.value"])
                v = np.tanh(v) if "Tanh" in b else v
            p.append(v[:, :b["Keep"]] * t[k + "scale"])
        p = np.hstack(p)
    p = p + t.get("map.phase", 0)
    f = {"cos": np.cos, "cossin": lambda p: np.hstack([np.cos(p), np.sin(p)]), "linear": lambda p: p,
         "arccos0": lambda p: np.heaviside(p, 0.5), "arccos1": lambda p: np.maximum(p, 0),
         "arccos2": lambda p: np.maximum(p, 0) ** 2}[meta["map.func"]]
    z = f(p) * t["map.weight"]
    if "map.walsh.d" in t:
        z = z * t["map.walsh.d"]
        return hadamard(np.pad(z, ((0, 0), (0, (1 << (z.shape[1] - 1).bit_length()) - z.shape[1]))))[:, t["map.walsh.columns"]]
    return z @ t["map.product"] if "map.product" in t else z


def scores(meta, t, x):
    """n×targets: the predictions of a regression, or the quantiles of each target, the
    scores of a classification (one column for two classes)."""
    y = features(meta, t, x) @ t["coefficients"] + t["intercept"]
    for i in range(len(t)):  # models beside the first
        part = f"beside.{i}."
        if part + "coefficients" not in t:
            break
        own = [{k[len(part):]: v for k, v in d.items() if k.startswith(part)} for d in (meta, t)]
        y = y + features(*own, x) @ own[1]["coefficients"]
    y = np.exp(y) if meta.get("link") == "log" else y
    if meta.get("link") == "sorted":
        y = np.sort(y.reshape(len(y), -1, len(json.loads(meta["quantiles"]))), 2).reshape(y.shape)
    return np.clip(y, t["range.low"], t["range.high"]) if "range.low" in t else y


def logits(t, f):
    """n×classes: slope·f + bias of scores f, where the one score of two classes stands
    for (−f/2, f/2). The slope is that of all classes, or one per class."""
    f = np.hstack([-f / 2, f / 2]) if f.shape[1] == 1 else f
    return t["calibration.slope"] * f + t["calibration.bias"]


def probabilities(meta, t, f):
    """n×classes probabilities of scores f: softmax of the logits, mixed with equal
    shares so that none is below the floor."""
    p = logits(t, f)
    p = np.exp(p - p.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    floor = t["calibration.floor"] if "calibration.floor" in t else 0
    return floor + (1 - p.shape[1] * floor) * p


def classes(meta, t, f):
    """The index of the class that each row of scores f stands for: the most probable
    one of a calibrated model, otherwise the one with the largest score."""
    if "calibration.slope" in t:
        f = logits(t, f)
        return (f[:, 1] >= f[:, 0]).astype(int) if f.shape[1] == 2 else f.argmax(1)
    return (f[:, 0] >= 0).astype(int) if f.shape[1] == 1 else f.argmax(1)


def number(text):
    """The number that a cell is. By itself, float takes 1_000 and digits of other scripts, too."""
    if "_" in text or not text.isascii():
        raise ValueError(f"could not convert {text!r} to a number")
    return float(text)


def is_number(text):
    try:
        number(text)
        return True
    except ValueError:
        return False


NA = "NA N/A #N/A n/a na NaN nan NAN null NULL Null None none \\N ? - .".split()


MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)?(?:(?<=\d)[ T])?(?:((?:[01]\d|2[0-3]):\d\d(?::\d\d)?)(?:[.,](\d+))?(?: ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?)?$", re.I)


def moment(cell):
    """A date or a time of ISO 8601 as a word has it; None for another text."""
    date, clock, fraction, zone = (MOMENT.match(cell) or MOMENT.match("")).groups()
    try:
        t = datetime.datetime.fromisoformat((date or "1970-01-01") + " " + (clock or "00:00"))
        t += datetime.timedelta(microseconds=int((fraction or "").ljust(6, "0")[:6]))
        if zone and zone[0] in "+-":
            digits = zone[1:].replace(":", "") + "00"
            t -= int(zone[0] + "1") * datetime.timedelta(hours=int(digits[:2]), minutes=int(digits[2:4]))
    except (ValueError, OverflowError):
        return None
    text = t.isoformat(" ")
    text = text.rstrip("0") if "." in text else text
    if not date:
        return text[11:] if clock and len(clock) == 8 and not zone else None
    return text + "Z" if zone else text.removesuffix(" 00:00:00")


def same(cell, word):
    """Whether a cell is a word: numbers are compared as numbers, and those of 2⁵³ or more by their digits."""
    cell = cell.strip()
    if is_number(cell) and is_number(word):
        digits = [(decimal.Decimal(t), re.fullmatch(r"[+-]?\d+", t) is None) for t in (cell, word)]
        return number(cell) == number(word) and (abs(number(cell)) < 2**53 or digits[0] == digits[1])
    return word in (cell, moment(cell))


def boolean(text):
    """1 for true and 0 for false in any capitals, also as numbers; None for another text."""
    return {"true": 1, "1": 1, "false": 0, "0": 0}.get(text.strip().lower())


def aliased(cell, words):
    """The one of words that is the boolean of a cell, if all of them are booleans; or the cell."""
    alike = [w for w in words if boolean(w) == boolean(cell)]
    known = any(same(cell, w) for w in words) or boolean(cell) is None or None in map(boolean, words)
    return cell if known or len(alike) != 1 else alike[0]


MONTHS = {m: i + 1 for i, m in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split())}
DATES = [r"(?P<y>\d{4})(?P<sep>[-/.])(?P<m>\d\d?|[A-Za-z]{3,9})(?P=sep)(?P<d>\d\d?)", r"(?P<y>\d{4})-(?P<m>\d\d?)$", r"(?P<y>\d{4})(?P<m>\d\d)(?P<d>\d\d)(?=T)",
         r"(?P<d>\d\d?)\.(?P<m>\d\d?)\.(?P<y>\d{4}|\d\d)(?!\d)", r"(?P<d>\d\d?)(?P<sep>[-/ ])(?P<m>[A-Za-z]{3,9})\.?(?P=sep)(?P<y>\d{4}|\d\d)(?!\d)",
         r"(?P<m>[A-Za-z]{3,9})\.? +(?P<d>\d\d?),? +(?P<y>\d{4})(?!\d)", r"(?P<m>[A-Za-z]{3}) +(?P<d>\d\d?) (?=\d\d:.* (?P<y>\d{4})$)",
         r"(?P<a>\d\d?)(?P<sep>[-/])(?P<b>\d\d?)(?P=sep)(?P<y>\d{4}|\d\d)(?!\d)"]
CLOCK = re.compile(r"(\d\d?):?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?(?: *([AP]M))?(?: ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?(?: \d{4})?$", re.I)


def times(text, kind):
    """The inputs of a date or a time of day."""
    text = re.sub(r"^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? +", "", text.strip(), flags=re.I)
    found = None if kind.get("clock") else next(filter(None, (re.match(p, text) for p in DATES)), None)
    seconds, date = 0, found and {k: v for k, v in found.groupdict().items() if v}
    if date:
        if "a" in date:
            date["d"], date["m"] = {"dmy": (date["a"], date["b"]), "mdy": (date["b"], date["a"])}[kind["order"]]
        year, month = int(date["y"]), date["m"]
        year += 0 if len(date["y"]) > 2 else 2000 if year < 69 else 1900
        month = int(month) if month.isdigit() else MONTHS[month[:3].lower()]
        seconds = 86400 * (datetime.date(year, month, int(date.get("d", 1))) - datetime.date(1970, 1, 1)).days
        text = re.sub(r"^(,? *[Tt]|:|,? +)", "", text[found.end():])
    elif not kind.get("clock"):
        raise ValueError(f"{text!r} is no date")
    fraction = 0
    if text:
        clock = CLOCK.match(text)
        if not clock:
            raise ValueError(f"{text!r} is no time of day")
        hour, minute, second, digits, noon, zone = clock.groups()
        hour = int(hour) % 12 + 12 * (noon.upper() == "PM") if noon else int(hour)
        seconds += 3600 * hour + 60 * int(minute) + int(second or 0)
        fraction = int(((digits or "") + "0" * 6)[:6]) / 1e6
        if bool(zone) != bool(kind.get("zone")):
            raise ValueError(f"{text!r} has a time zone, or lacks one")
        if zone and zone[0] in "+-":
            digits = zone[1:].replace(":", "") + "00"
            seconds -= int(zone[0] + "1") * (3600 * int(digits[:2]) + 60 * int(digits[2:4]))
    if kind.get("clock"):
        return [(seconds + fraction) / 3600]
    day = seconds // 86400
    parts = {"hour": (seconds % 86400 + fraction) / 3600, "weekday": float((day + 3) % 7),
             "yearday": float((datetime.date(1970, 1, 1) + datetime.timedelta(day)).timetuple().tm_yday)}
    return [(seconds + fraction) / 86400] + [v for k, v in parts.items() if kind.get(k)]


def inputs(meta, t, row):
    """The inputs of the map for one row, a list with a cell of text for each column; None
    if it lacks a value and the rule for that is to drop it."""
    columns, x, na = schema(meta, t), [], json.loads(meta["na"]) if "na" in meta else NA
    for j, (cell, c) in enumerate(zip(row, columns)):
        words, width = c.get("words"), len(c.get("words", [0]))
        if "time" in c:
            width += sum(k in c["time"] for k in ("hour", "weekday", "yearday"))
        if cell.strip() in (["", r"\N"] if words else ["", *na]):
            rule = meta.get("missing", "error")
            if rule == "drop":
                return None
            if rule != "mean":
                raise ValueError(f"column {j + 1} is missing")
            x += list(t["columns.fill"][len(x):len(x) + width])
        elif words:
            x += [float(same(aliased(cell, words), w)) for w in words]
            if not any(x[-width:]) and meta.get("unseen") != "zero":
                raise ValueError(f"column {j + 1}: {cell!r} is a word that the model was not fitted on")
        elif "time" in c:
            x += times(cell, c["time"])
        elif not is_number(cell) and boolean(cell) is not None and "columns.low" in t and {t["columns.low"][len(x)], t["columns.high"][len(x)]} <= {0, 1}:
            x.append(float(boolean(cell)))
        else:
            x.append(number(cell))
    return x


def schema(meta, t):
    """One dictionary per column of raw rows."""
    if "columns" in meta:
        return json.loads(meta["columns"])
    d = len(t["scaling.points"]) if "scaling.points" in t else len(t["scaling.shift"]) if "scaling.shift" in t else int(meta["map.inputs"])
    return [{} for _ in range(d)]


def rows(meta, t, lines):
    """n×d inputs from lines of CSV, and which of the n rows have a prediction."""
    names = json.loads(meta["inputs"]) if "inputs" in meta else None
    columns = schema(meta, t)
    table, header, x, there = csv.reader(lines), None, [], []
    for r in table:
        if not r:
            continue
        if header is None and not there and (all(n in r for n in names) if names else not all(is_number(v) for v in r)):
            header = r
            continue
        if names and header is None and not there and not any(is_number(v) for v in r):
            missing = [n for n in names if n not in r]
            raise SystemExit(f"read_model.py: no column is called {', '.join(map(repr, missing))}")
        if header and len(r) != len(header):
            raise SystemExit(f"read_model.py: line {table.line_num} has {len(r)} values, the header {len(header)}")
        if header and names:
            r = [r[header.index(n)] for n in names]
        if len(r) != len(columns):
            raise SystemExit(f"read_model.py: line {table.line_num} has {len(r)} values, the model {len(columns)} inputs")
        try:
            v = inputs(meta, t, r)
        except ValueError as e:
            raise SystemExit(f"read_model.py: line {table.line_num}: {e}")
        there.append(v is not None)
        if v is None:
            continue
        if not np.isfinite(v).all():
            raise SystemExit(f"read_model.py: line {table.line_num} has a value that is not finite")
        x.append(v)
    if not there:
        raise SystemExit("read_model.py: there are no rows")
    return np.array(x).reshape(len(x), -1), there


def main():
    text, _, rest = __doc__.partition("\n\n")
    p = argparse.ArgumentParser(description=text, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("model", help="the file that rff fit or Model.Save wrote")
    p.add_argument("data", nargs="?", metavar="FILE", help="CSV (default: standard input)")
    p.add_argument("--scores", action="store_true", help="add the scores of a classification")
    p.add_argument("--probabilities", action="store_true", help="add the probability of every class")
    a = p.parse_args()
    if np is None:
        p.error("NumPy is not installed here: pip install numpy")
    meta, t = read(a.model)
    names = json.loads(meta["classes"]) if "classes" in meta else None
    if a.scores and not names:
        p.error("--scores: the model is a regression")
    if a.probabilities and "calibration.slope" not in t:
        p.error("--probabilities: the model has none; fit it with --probabilities")
    if a.data:
        with open(a.data, newline="", encoding="utf-8-sig") as f:
            x, there = rows(meta, t, f)
    else:
        x, there = rows(meta, t, sys.stdin)
    f = scores(meta, t, x)
    if names:
        header, columns = ["predicted"], [[names[k]] for k in classes(meta, t, f)]
    else:
        levels = json.loads(meta.get("quantiles", "[]"))
        levels = levels * (f.shape[1] // len(levels)) if levels else range(1, f.shape[1] + 1)
        header = ["predicted"] if f.shape[1] == 1 and "quantiles" not in meta else [f"predicted {k:g}" for k in levels]
        columns = [[repr(float(v)) for v in r] for r in f]
    if a.scores:
        header += ["score"] if f.shape[1] == 1 else [f"score {c}" for c in names]
        columns = [r + [repr(float(v)) for v in s] for r, s in zip(columns, f)]
    if a.probabilities:
        header += [f"probability {c}" for c in names]
        columns = [r + [repr(float(v)) for v in q] for r, q in zip(columns, probabilities(meta, t, f))]
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(header)
    columns = iter(columns)
    out.writerows(next(columns) if has else [""] * len(header) for has in there)


if __name__ == "__main__":
    main()
