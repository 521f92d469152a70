"""Named files that belong together, written all or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from att.errors import EmitError
from att.expr.text import to_text
from att.model.workspace import workspace_bytes
from codegen.entry import Kernel

BUILD_NOTE = """# Building for the device

`{kernel}_kernel.cpp` uses public AscendC only. With the CANN toolkit installed and its environment set:

    bisheng -x cce -O2 --cce-aicore-arch=dav-c220-vec -std=c++17 -I. -c {kernel}_kernel.cpp -o {kernel}_kernel.o

or add the file to an AscendC operator project or direct-launch project for Atlas A2 (arch 2201) as its kernel source. The kernel takes the
inputs ({inputs}), the outputs ({outputs}), a workspace (its bytes stand in the manifest, by template) and the tiling data: `{header}`
defines its layout, `block_dim` of it is the number of cores to launch with. It has not been run on a device by this project; what stands in
is the CPU model (docs/cpu_model.md).
"""


@dataclass(frozen=True, slots=True)
class Bundle:
    """File names and their texts."""

    files: Mapping[str, str]

    def hash(self) -> str:
        """Identifies the contents."""
        return text_hash(part for name, text in sorted(self.files.items()) for part in (name, text))

    def write(self, folder: Path) -> tuple[Path, ...]:
        """Writes every file, each atomically. Raises EmitError if the folder cannot be written."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            return tuple(_write_atomically(folder / name, text) for name, text in self.files.items())
        except OSError as error:
            raise EmitError(
                f"cannot write: {error.strerror or error}", where=str(folder), hint="choose a folder that you may write"
            ) from None


def text_hash(parts: Iterable[str]) -> str:
    """SHA-256 over texts, in their order and with their borders."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def _write_atomically(path: Path, text: str) -> Path:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return path


def kernel_bundle(kernel: Kernel) -> Bundle:
    """The kernel, its tiling data, a manifest that describes both, and how to build them."""
    texts = {f"{kernel.name}_kernel.cpp": kernel.text, kernel.header_name: kernel.layout.text()}
    manifest = json.dumps(_manifest(kernel, texts), indent=2) + "\n"
    note = BUILD_NOTE.format(
        kernel=kernel.name,
        header=kernel.header_name,
        inputs=", ".join(kernel.inputs) or "none",
        outputs=", ".join(kernel.outputs),
    )
    return Bundle(MappingProxyType({**texts, "manifest.json": manifest, "BUILD.md": note}))


def _manifest(kernel: Kernel, texts: Mapping[str, str]) -> Mapping[str, object]:
    return {
        "format": "kernel",
        "version": 1,
        "entry": kernel.entry,
        "arch": "2201",
        "files": {name: text_hash((text,)) for name, text in texts.items()},
        "inputs": [_argument(kernel, name) for name in kernel.inputs],
        "outputs": [_argument(kernel, name) for name in kernel.outputs],
        "tiling_data": {
            "struct": kernel.layout.struct_name,
            "bytes": kernel.layout.size_bytes,
            "fields": [{"name": f.name, "type": f.cxx_type, "offset": f.offset_bytes} for f in kernel.layout.fields],
        },
        "templates": [
            {"template": t.name, "tiling_key": t.tiling_key, "workspace_bytes": to_text(workspace_bytes(t))} for t in kernel.templates
        ],
    }


def _argument(kernel: Kernel, name: str) -> Mapping[str, str]:
    node = next(g.node_of[name] for t in kernel.templates for g in t.phases if name in g.node_of)
    return {"name": name, "dtype": node.output.dtype.value}
