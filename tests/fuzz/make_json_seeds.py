"""Writes the JSON seeds of the fuzz targets: small forms of the tests' documents and of VMAF's models.

Usage: make_json_seeds.py REPOSITORY DIRECTORY. Makes DIRECTORY/report, split_inputs and vmaf_model.
"""

import json
import pathlib
import sys

MOST_ELEMENTS = 2  # limit of a list's elements: short documents allow many executions per second
MOST_VECTORS = 3  # limit of a model's support vectors


def shortened(value, longest=6):
    """Returns the document with the first elements alone of lists that are longer than `longest`."""
    if isinstance(value, dict):
        return {name: shortened(member, longest) for name, member in value.items()}
    if isinstance(value, list):
        kept = value[:MOST_ELEMENTS] if len(value) > longest else value
        return [shortened(element, longest) for element in kept]
    return value


def write(directory, name, document):
    directory.mkdir(parents=True, exist_ok=True)
    (directory / name).write_text(json.dumps(document, separators=(",", ":")))


def write_results(data, seeds):
    gate = json.loads((data / "report/gate.json").read_text())
    for kernel in gate["kernels"]:
        one = dict(shortened(gate), kernels=[shortened(kernel)])
        for target in ("report", "split_inputs"):
            write(seeds / target, f"gate-{kernel['name']}.json", one)
    # `split` needs results of all six loop filters.
    kernel = shortened(gate["kernels"][0], MOST_ELEMENTS)
    kernel["m1"] = kernel["m2"] = None
    names = [f"loop_filter_{direction}_{width}" for direction in "hv" for width in (4, 8, 16)]
    six = dict(shortened(gate), kernels=[dict(kernel, name=name) for name in names])
    write(seeds / "split_inputs", "gate-loop-filters.json", six)
    for file in [*(data / "report").glob("*.json"), data / "vmaf_log.json"]:
        if file.name not in ("gate.json", "gate-of-a-gpu.json"):
            write(seeds / "report", file.name, json.loads(file.read_text()))
    write(seeds / "split_inputs", "picture-model.json", json.loads((data / "picture-model.json").read_text()))


def write_shader_statistics(seeds):
    program = {"dispatches": 1, "compiled": {"inst": 10, "threads": 4}, "executed": {"inst": 20}}
    variant = {"unit": "edge", "units": 3, "programs": {"loop_filter": program}}
    workload = {"content": "random", "width": 64, "height": 64, "seed": 1}
    table = {"driver": "V3DV", "workload": workload, "kernels": {"loop_filter": {"strip": variant}}}
    document = {"schema": "sidecore-shaderdb-1", "v3d": {"4.2": table, "7.1": table}}
    write(seeds / "report", "shaderdb.json", document)


def write_models(models, seeds):
    for version, model in models["models"].items():
        head, vectors = models["machines"][model["machine"]].split("SV\n", 1)
        lines = [f"total_sv {MOST_VECTORS}" if line.startswith("total_sv") else line for line in head.splitlines()]
        machine = "\n".join([*lines, "SV", *vectors.splitlines()[:MOST_VECTORS], ""])
        members = {name: value for name, value in model.items() if name != "machine"}
        write(seeds / "vmaf_model", f"{version}.json", {"model_dict": dict(members, model=machine)})


def main():
    repository, seeds = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    write_results(repository / "tests/data", seeds)
    write_shader_statistics(seeds)
    write_models(json.loads((repository / "src/metrics/vmaf_models.json").read_text()), seeds)


main()
