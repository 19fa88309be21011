"""Figures of boards and of their models, for scripts/board-model and scripts/board-figures.

Usage: board_figures.py model BOARD MD5 PICTURES SPLIT TABLE OUTPUT GATE-MODEL...
       board_figures.py times FILE OUTPUT
       board_figures.py cpu MODEL FILE...
       board_figures.py update FIT SCHEDULE MODEL-SOURCE
"model" writes the model's figures as a file of the kind that sidecore verdict writes. MD5 is of the clip's packets,
PICTURES a document of scripts/v3dsim-picture, SPLIT one of sidecore split --model, GATE-MODEL are documents of sidecore gate --model, and TABLE has the table of scripts/v3dsim-calibration.
"times" writes the times of the published kernels for v3dsim_calibration. "cpu" compares NEON's times with the model's.
"update" writes the constants that FIT (the output of v3dsim_calibration) names into the two source files of the model.
"""
import json
import math
import re
import sys

BOARDS = {"pi4": "Raspberry Pi 4", "pi5": "Raspberry Pi 5"}
ROWS = {  # rows of the calibration's table, and names of their dispatches
    "VP9 inverse DCT 8x8, version 2, workgroups of 64": "inverse_dct_64",
    "VP9 inverse DCT 8x8, version 4, workgroups of 256": "inverse_dct_256",
    "VP9 loop filter, 4 wide": "loop_filter_4",
    "VP9 loop filter, 8 wide": "loop_filter_8",
    "VP9 8-tap prediction, horizontal": "prediction",
}
ASSUMED_CLOCK = 960e6  # a Raspberry Pi 5's V3D, if the firmware did not report its clock


def fail(text):
    sys.exit(f"board-figures: {text}")


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        fail(f"{path}: {error}")


def board_file(path):
    document = load(path)
    if not isinstance(document, dict) or document.get("schema") != "sidecore-verdict" or document.get("version") != 1:
        fail(f"{path} is no file of sidecore verdict, version 1")
    return document


def figures(document):
    """Returns the figures by name, without those of steps during which the board throttled."""
    return {figure["name"]: figure for step in document["steps"] if not step["throttled"] for figure in step["figures"]}


def figure(name, unit, value, low, high):
    value, low, high = (float(f"{number:.5g}") for number in (value, low, high))
    return {"name": name, "unit": unit, "value": value, "low": low, "high": high}


def scaled(name, unit, estimate, scale):
    return figure(name, unit, *(scale * estimate[end] for end in ("expected", "low", "high")))


def step(name, of):
    return {"step": name, "missing": "", "throttled": "", "agrees": True, "seconds": 0, "answer": "", "figures": of}


def published(table):
    """Returns the model's predictions of the published kernels: milliseconds and the interval."""
    found = []
    for line in open(table, encoding="utf-8"):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if cells[0] in ROWS:
            low, high = (float(end) for end in cells[6].split(".."))
            found.append(figure(f"published.{ROWS[cells[0]]}", "ms", float(cells[5]), low, high))
    return found


def dispatch(assumed):
    """Returns the modelled cost of a submission and that of each further dispatch, which may share the fixed cost."""
    one, submission = assumed["dispatch_overhead_seconds"][1], assumed["submission_seconds"][1]
    return [figure("dispatch.submission", "us", *[1e6 * (submission + one)] * 3),
            figure("dispatch.further", "us", 0.5e6 * one, 0, 1e6 * one)]


def kernel(gates):
    """Returns the milliseconds per picture of the QPU's fastest variant and of NEON."""
    name, content = gates["name"], gates["contents"][0]
    best = min(content["runs"], key=lambda run: run["seconds"]["low"] + run["seconds"]["high"])["seconds"]
    of = [figure(f"{name}.qpu", "ms", *(1e3 * t for t in ((best["low"] + best["high"]) / 2, best["low"], best["high"])))]
    for threads, member in (("1", "one_core"), ("all", "all_cores")):
        if content["neon"]:
            rate = content["neon"][f"units_per_second_{member}"]
            of.append(figure(f"{name}.neon_{threads}", "ms",
                             *(1e3 * content["units"] / rate[end] for end in ("expected", "high", "low"))))
    return of


def split(document):
    of = []
    for plan in document["plans"]:
        name = f"split.{re.sub(':[0-9]+$', ':N', plan['plan'])}.{plan['threads']}"
        of.append(scaled(f"{name}.speed", "pictures/s", plan["predicted_frames_per_second"], 1))
        of.append(scaled(f"{name}.cpu", "ms", plan["predicted_cpu_seconds_per_picture"], 1e3))
    return of


def back_end(plans):
    """Returns the modelled figures of the playback test: speed and CPU time of its plans, on all threads."""
    of, threads = [], max(int(entry["name"].split(".")[-2]) for entry in plans)
    known = {entry["name"]: entry for entry in plans}
    for plan in ("neon", "qpu", "divided"):
        for what in ("speed", "cpu"):
            entry = known.get(f"split.{plan}.{threads}.{what}")
            if entry:
                of.append({**entry, "name": f"back_end.{plan}_{what}"})
    return of


def model(board, md5, pictures_path, split_path, table, output, *gate_paths):
    counted, proposal = load(pictures_path), load(split_path)
    gates = [load(path)["kernels"][0] for path in gate_paths]
    size = counted["clip"]
    clip = {"md5": md5, "packets": proposal["packets"], "width": size["width"], "height": size["height"]}
    plans = split(proposal)
    steps = [step("dispatch", dispatch(counted["assumed"]))]
    if board == "pi5":
        steps.append(step("published", published(table)))
    steps += [step(of["name"], kernel(of)) for of in gates]
    steps += [step("back_end", back_end(plans)), step("split", plans)]
    before = proposal["environment"]["before"]
    environment = {**before, "board": BOARDS[board], "cpu_model": proposal["cpu"], "machine": "aarch64", "kernel": "",
                   "kernel_build": "", "os": "", "cpus": [], "cpu_count": 0, "temperatures": [], "throttle_flags": None,
                   "core_throttle_events": None, "load_average": None}
    document = {"schema": "sidecore-verdict", "version": 1, "sidecore": "0.1.0", "basis": "model, not measured",
                "budget": "full", "threads": max(plan["threads"] for plan in proposal["plans"]),
                "build": {"type": "", "compiler": "", "neon": "", "neon_is_native": False}, "environment": environment,
                "device": {"name": f"V3D {counted['v3d']}, simulated", "driver": counted["driver"]}, "clip": clip,
                "steps": steps}
    with open(output, "w", encoding="utf-8") as file:
        file.write(json.dumps(document, indent=2) + "\n")


def times(path, output):
    of = figures(board_file(path))
    lines = [f"{name} {1e6 * of[f'published.{name}']['value']:.0f}" for name in ROWS.values() if f"published.{name}" in of]
    if len(lines) < 3:
        fail(f"{path} has {len(lines)} times of published kernels; a fit needs 3")
    clock = 1e6 * of["published.v3d_clock"]["value"] if "published.v3d_clock" in of else ASSUMED_CLOCK
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join([*lines, f"clock_hz {clock:.0f}"]) + "\n")


def percent(logarithm):
    return f"{100 * (math.exp(logarithm) - 1):+.0f} %"


def cpu(model_path, *paths):
    """Prints how well one factor on the model's NEON times, fitted to all other kernels, predicts each kernel."""
    modelled = board_file(model_path)
    known = figures(modelled)
    misses = []
    for path in paths:
        document = board_file(path)
        if document["clip"] != modelled["clip"]:
            print(f"{path}: another clip than the model's, so its NEON times are not compared")
            continue
        for name, entry in figures(document).items():
            if ".neon_" in name and not name.startswith("back_end") and name in known and entry["value"] > 0:
                misses.append((path, name, math.log(entry["value"] / known[name]["value"])))
    if len(misses) < 2:
        print(f"no fit of the CPU's model: {len(misses)} of NEON's times can be compared, 2 are needed")
        return
    total = sum(miss for _, _, miss in misses)
    print("| file | NEON | measured / modelled - 1, before | after a fit to all others |\n|---|---|---|---|")
    after = []
    for path, name, miss in misses:
        after.append(miss - (total - miss) / (len(misses) - 1))
        print(f"| {path} | {name} | {percent(miss)} | {percent(after[-1])} |")
    root = [math.sqrt(sum(m * m for m in of) / len(of)) for of in ([m for _, _, m in misses], after)]
    print(f"\nRoot mean square of the logarithms: {root[0]:.3f} before, {root[1]:.3f} after. Fitted factor on all cycles of "
          f"the core's model: {math.exp(total / len(misses)):.2f}.")


FITTED = re.compile(r"Fitted: (\d+) supergroup at once, (\d+) cycles from one to the next, (\d+) per request and (\d+) per "
                    r"word; ([\d.]+) ns per line.*?, (\d+) ns latency")


def update(fit, schedule, source):
    found = FITTED.search(open(fit, encoding="utf-8").read())
    if not found:
        fail("the fit names no constants")
    supergroups, start, request, word, line, latency = found.groups()
    for path, changes in ((schedule, ((r"(double request = )[\d.]+", f"{float(request)}"),
                                      (r"(double word = )[\d.]+", f"{float(word)}"),
                                      (r"(double start = )[\d.]+", f"{float(start)}"),
                                      (r"(unsigned supergroups = )\d+", supergroups))),
                          (source, ((r"(8\.7e-9 : )[\d.]+e-9", f"{line}e-9"), (r"(\.latency = )\d+e-9", f"{latency}e-9")))):
        text = open(path, encoding="utf-8").read()
        for pattern, value in changes:
            text, count = re.subn(pattern, lambda match, new=value: match.group(1) + new, text, count=1)
            if count != 1:
                fail(f"{path} has no constant like {pattern}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        print(f"updated: {path}")


def main():
    commands = {"model": model, "times": times, "cpu": cpu, "update": update}
    commands[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
