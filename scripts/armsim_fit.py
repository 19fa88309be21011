"""Fits the costs of the decoder's code outside kernels to the counts of streams: scripts/armsim-cycles runs it.

Usage: armsim_fit.py MEASURED OUTPUT. MEASURED has a line of JSON for each clip.
"""
import json
import sys

CORES = ["cortex-a72", "cortex-a76"]
LAST_CACHES = [1 << 20, 2 << 20]
COSTS = {  # cost: its meaning, and the count to which it is proportional
    "edge_derivation": ("edges", "edges"),
    "prediction_call": ("around predictions", "predictions"),
    "transform_call": ("around transforms", "transforms"),
    "filter_edge": ("around filters", "edges"),
    "other_block": ("other", "blocks"),
}


def read(path):
    clips = []
    for line in open(path):
        clip = json.loads(line)
        roles = clip["roles"]
        clip["blocks"] = clip["frames"] * ((clip["width"] + 7) // 8) * ((clip["height"] + 7) // 8)
        bytes_a_sample = 1 if clip["depth"] == 8 else 2
        frame = 1.5 * bytes_a_sample * clip["width"] * clip["height"]
        # This is the same rule as in memory_cycles() of bench/model/costs.h.
        clip["uncached"] = [clip["blocks"] * bytes_a_sample if 4 * frame > cache else 0 for cache in LAST_CACHES]
        clip["predictions"] = roles["real prediction calls"][0]
        clip["transforms"] = roles["real transform calls"][0]
        clip["cycles"] = []
        for core in range(len(CORES)):
            of = {name[5:]: values[1 + core] for name, values in roles.items()
                  if name.startswith("real ") and len(values) == 3}
            of["kernels"] = roles["ideal kernels"][1 + core]
            of["memory"] = roles["real kernels"][1 + core] - of["kernels"]
            clip["cycles"].append(of)
        clips.append(clip)
    return clips


def fit(clips, core):
    """Returns each constant, fitted by least squares of relative errors."""
    costs = {}
    for name, (role, count) in COSTS.items():
        ratios = [clip[count] / max(clip["cycles"][core].get(role, 0), 1) for clip in clips]
        costs[name] = sum(ratios) / sum(ratio * ratio for ratio in ratios)
    uncached = [clip for clip in clips if clip["uncached"][core]]
    ratios = [clip["uncached"][core] / clip["cycles"][core]["memory"] for clip in uncached]
    costs["memory_block"] = sum(ratios) / sum(ratio * ratio for ratio in ratios) if ratios else 0
    # Parsing is fitted with two constants, neither of them negative.
    bits = [clip["bits"] / clip["cycles"][core]["parsing"] for clip in clips]
    calls = [clip["predictions"] / clip["cycles"][core]["parsing"] for clip in clips]
    aa, bb = sum(x * x for x in bits), sum(x * x for x in calls)
    ab = sum(x * y for x, y in zip(bits, calls))
    a, b = sum(bits), sum(calls)
    determinant = aa * bb - ab * ab
    of_bits, of_calls = (a * bb - b * ab) / determinant, (b * aa - a * ab) / determinant
    if of_calls < 0:
        of_bits, of_calls = a / aa, 0.0
    if of_bits < 0:
        of_bits, of_calls = 0.0, b / bb
    costs["parsing_bit"], costs["parsing_call"] = of_bits, of_calls
    return costs


def predict(clip, costs, core):
    parts = {role: costs[name] * clip[count] for name, (role, count) in COSTS.items()}
    parts["parsing"] = costs["parsing_bit"] * clip["bits"] + costs["parsing_call"] * clip["predictions"]
    parts["memory"] = costs["memory_block"] * clip["uncached"][core]
    return parts


def main():
    clips = read(sys.argv[1])
    document = {"schema": "armsim-stream-cycles", "version": 1,
                "clips": [f"{clip['width']}x{clip['height']}, {clip['frames']} frames, {clip['bits']} bits" for clip in clips]}
    for core, name in enumerate(CORES):
        document[name] = {key: round(value, 3) for key, value in sorted(fit(clips, core).items())}
        print(f"| {name}, each clip predicted from the others | parsing | edges | memory | all but kernels | all |\n|---|---|---|---|---|---|")
        for left_out, clip in enumerate(clips):
            others = clips[:left_out] + clips[left_out + 1:]
            parts = predict(clip, fit(others, core), core)
            cycles = clip["cycles"][core]
            model = sum(parts.values())
            executed = sum(cycles.get(role, 0) for role in parts)
            def error(now, then):
                return f"{100 * (now / then - 1):+.0f} %"
            print(f"| {document['clips'][left_out]} | {error(parts['parsing'], cycles['parsing'])} | "
                  f"{error(parts['edges'], cycles['edges'])} | {error(parts['memory'], cycles['memory'])} | {error(model, executed)} | "
                  f"{error(model + cycles['kernels'], executed + cycles['kernels'])} |")
        print()
    with open(sys.argv[2], "w") as file:
        json.dump(document, file, indent=2)
        file.write("\n")


main()
