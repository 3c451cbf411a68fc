"""Pack the package and its shared object into a wheel, which is a zip with three files about it.

    python wheel.py SHARED-OBJECT FOLDER

The platform tag is what the shared object is true to: manylinux of the newest version of glibc
that one of its symbols needs. The same input gives the same bytes.
"""

import base64
import hashlib
import pathlib
import platform
import re
import subprocess
import sys
import sysconfig
import zipfile

HERE = pathlib.Path(__file__).resolve().parent

METADATA = """Metadata-Version: 2.1
Name: rff
Version: {version}
Summary: Random features and kernel ridge regression as scikit-learn estimators
License: {license}
Requires-Python: >=3.9
Requires-Dist: numpy>=1.24
Requires-Dist: scikit-learn>=1.6
Provides-Extra: frames
Requires-Dist: pyarrow>=14; extra == "frames"
Description-Content-Type: text/markdown

{readme}"""

WHEEL = """Wheel-Version: 1.0
Generator: rff
Root-Is-Purelib: false
Tag: py3-none-{tag}
"""


def tag_of(library: pathlib.Path) -> str:
    """Return the platform tag of a shared object."""
    if not sys.platform.startswith("linux"):
        return re.sub(r"[-.]", "_", sysconfig.get_platform())
    symbols = subprocess.run(["objdump", "-T", str(library)], check=True, capture_output=True, text=True).stdout
    versions = {tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_([0-9.]+)", symbols)}
    if not versions:
        raise SystemExit(f"{library}: no symbol of glibc: is that another C library?")
    return "manylinux_{}_{}_{}".format(*max(versions)[:2], platform.machine())


def main(library: pathlib.Path, folder: pathlib.Path) -> None:
    version = re.search(r'"(.+)"', (HERE / "rff" / "_version.py").read_text()).group(1)
    licence = HERE.parent / "LICENSE"
    tag = tag_of(library)
    about = f"rff-{version}.dist-info"
    files = {f"rff/{p.name}": p.read_bytes() for p in (HERE / "rff").iterdir() if p.suffix == ".py" or p.name == "py.typed"}
    files["rff/librff.so"] = library.read_bytes()
    files[f"{about}/licenses/LICENSE"] = licence.read_bytes()
    text = METADATA.format(version=version, license=licence.read_text().split("\n", 1)[0], readme=(HERE / "README.md").read_text())
    files[f"{about}/METADATA"] = text.encode()
    files[f"{about}/WHEEL"] = WHEEL.format(tag=tag).encode()
    record = ""
    for name in sorted(files):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(files[name])}\n"
    files[f"{about}/RECORD"] = f"{record}{about}/RECORD,,\n".encode()
    path = folder / f"rff-{version}-py3-none-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, files[name])
    print(path)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
