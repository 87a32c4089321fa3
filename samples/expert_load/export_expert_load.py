#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tokens per expert out of torch pickles and NumPy archives, as JSON lines that `moescope report` reads.

Reads what SGLang's expert distribution recorder writes (expert_distribution_recorder_*.pt), any torch pickle that
holds a `logical_count`, and .npy or .npz files. Torch pickles need torch, NumPy files need numpy; a pickle of plain
lists needs neither. Pickles run code when they are read: only plain data is accepted unless --trust is given.

  export_expert_load.py recorder_0.pt recorder_1.pt -o loads.jsonl
  moescope report loads.jsonl
"""
import argparse
import json
import os
import pickle
import sys
import zipfile


TORCH_MAGIC = 0x1950A86A20F9469CFC6C  # the first object of torch files from before they were archives


class Refusal(Exception):
    """One line for the user: what is wrong, and what mends it."""


class PlainUnpickler(pickle.Unpickler):
    """Numbers, text, lists and dictionaries; nothing that would run code."""

    def find_class(self, module, name):
        if (module, name) == ("collections", "OrderedDict"):
            return super().find_class(module, name)
        raise Refusal(f"the pickle holds {module}.{name}: install torch and name a torch file, or use --trust "
                      "if you made the file")


def load_torch(path, trust):
    try:
        import torch
    except ImportError:
        raise Refusal("a torch file, and torch is not installed: pip install torch, or export where it is")
    try:
        return torch.load(path, map_location="cpu", weights_only=not trust)
    except Exception as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        hint = "" if trust else "; if you made the file, --trust reads more"
        raise Refusal(f"torch can't read it ({first}){hint}")


def load_numpy(path):
    try:
        import numpy
    except ImportError:
        raise Refusal("a NumPy file, and numpy is not installed: pip install numpy")
    try:
        loaded = numpy.load(path, allow_pickle=False)
    except ValueError as error:
        raise Refusal(f"numpy can't read it without running code ({error}): save numbers, not objects")
    if hasattr(loaded, "files"):
        return {name: loaded[name] for name in loaded.files}
    return {"logical_count": loaded}


def load(path, trust):
    with open(path, "rb") as file:
        head = file.read(8)
    if head.startswith(b"\x93NUMPY"):
        return load_numpy(path)
    if head.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
        return load_numpy(path) if any(n.endswith(".npy") for n in names) else load_torch(path, trust)
    if head[:1] == b"\x80":
        with open(path, "rb") as file:
            try:
                data = pickle.load(file) if trust else PlainUnpickler(file).load()
            except Refusal:
                raise
            except Exception as error:
                raise Refusal(f"not a whole pickle ({type(error).__name__}: {error})")
        return load_torch(path, trust) if data == TORCH_MAGIC else data
    raise Refusal("neither a pickle, a torch file nor a NumPy file; text formats are read by moescope itself")


def plain(value):
    """Tensors and arrays as nested lists."""
    for method in ("detach", "cpu"):
        if hasattr(value, method):
            value = getattr(value, method)()
    return value.tolist() if hasattr(value, "tolist") else value


def depth(value):
    levels = 0
    while isinstance(value, (list, tuple)):
        levels += 1
        if not value:
            break
        value = value[0]
    return levels


def counts(row, where):
    if not isinstance(row, (list, tuple)):
        raise Refusal(f"{where}: no list of counts")
    result = []
    for value in row:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0 or value != int(value):
            raise Refusal(f"{where}: {value!r} is no count of tokens")
        result.append(int(value))
    return result


def lines_of(data, path, rank):
    """Records {step, layer, rank, tpe} of one file. Layers without tokens are left out: they have no experts."""
    if not isinstance(data, dict):
        raise Refusal(f"holds {type(data).__name__}, not a dictionary with logical_count")
    if data.get("logical_count") is None:
        if "records" in data:
            raise Refusal("holds single passes (records) in physical experts: record in the mode stat")
        raise Refusal("no logical_count in it; it has " + (", ".join(sorted(map(str, data))) or "nothing"))
    value = plain(data["logical_count"])
    levels = depth(value)
    if levels not in (2, 3):
        raise Refusal(f"logical_count is {levels} deep: it should be [layers][experts] or [steps][layers][experts]")
    steps = [value] if levels == 2 else value
    for step, layers in enumerate(steps):
        if not isinstance(layers, (list, tuple)):
            raise Refusal(f"step {step}: no list of layers")
        for layer, row in enumerate(layers):
            tokens = counts(row, f"step {step}, layer {layer}")
            if not any(tokens):
                continue
            record = {"layer": layer, "tpe": tokens}
            if levels == 3:
                record["step"] = step
            if rank is not None:
                record["rank"] = rank
            if data.get("synthetic_routing") is not None:
                record["synthetic_routing"] = bool(data["synthetic_routing"])
            yield record


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("-o", "--output", help="where to write (default: standard output)")
    parser.add_argument("--per-rank", action="store_true",
                        help="counts are what the file's own rank computed; without it they are of all ranks together")
    parser.add_argument("--trust", action="store_true", help="read pickles that run code: only files you made")
    arguments = parser.parse_args()
    lines = []
    for path in arguments.files:
        try:
            data = load(path, arguments.trust)
            rank = None
            if arguments.per_rank:
                rank = plain(data.get("rank")) if isinstance(data, dict) else None
                if isinstance(rank, bool) or not isinstance(rank, int) or rank < 0:
                    raise Refusal("names no rank, which --per-rank needs")
            lines += [json.dumps(record) for record in lines_of(data, path, rank)]
        except Refusal as refusal:
            print(f"{parser.prog}: {path}: {refusal}", file=sys.stderr)
            return 2
        except OSError as error:
            print(f"{parser.prog}: {path}: {error.strerror or error}", file=sys.stderr)
            return 2
        except zipfile.BadZipFile as error:
            print(f"{parser.prog}: {path}: a damaged archive ({error})", file=sys.stderr)
            return 2
    if not lines:
        print(f"{parser.prog}: {arguments.files[0]}: no tokens in it", file=sys.stderr)
        return 2
    text = "\n".join(lines) + "\n"
    if arguments.output is None:
        sys.stdout.write(text)
        return 0
    partial = f"{arguments.output}.{os.getpid()}.part"
    try:
        with open(partial, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(partial, arguments.output)
    except OSError as error:
        print(f"{parser.prog}: {arguments.output}: {error.strerror or error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
