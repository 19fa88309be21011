"""Prints the tables of scripts/codec-verdicts as Markdown.

Usage: codec_verdicts.py DIRECTORY CODEC...
DIRECTORY has the files of scripts/codec-verdicts: CODEC.cycles, a line for each capture and implementation;
CODEC-BOARD-CAPTURE.json, documents of sidecore gate --model; CLIP.frames, what capture_cdef says.
"""
import json
import pathlib
import sys

# Name, clock of the cores, index of their cycles in the emulator's figures, and milliseconds in which the CPU copies a
# picture from the GPU's memory and back (docs/split-model.md).
BOARDS = {"pi5": ("Pi 5", 2.4e9, 4, 8.0), "pi4": ("Pi 4", 1.8e9, 1, 9.7)}
CPU_INTERVAL = (0.75, 1.35)  # bounds of published times relative to the model's (docs/armsim.md)
PICTURE_MS = 1000 / 30
# The peer's name in CODEC.cycles and in the tables, and its fields before the emulator's figures; the mean milliseconds of
# CPU time on a Pi 5, in the middle of the interval, from which the filter is worth a decoder.
CODECS = {"av1": ("CDEF of AV1", "dav1d", 4, 1.0), "h264": ("Deblocking of H.264", "FFmpeg", 5, 3.0)}
# Published nanoseconds per luma edge on a Pi 5's QPU: vertical and horizontal edges (docs/v3dsim-timing.md).
PUBLISHED_EDGES = (498.53, 467.42)


class Capture:
    """Modelled milliseconds of a captured picture on one board."""

    def __init__(self, rows, codec, board, document):
        _, clock, column, _ = BOARDS[board]
        _, peer, fields, _ = CODECS[codec]
        ms = {row[1].lower(): float(row[fields + column]) / clock * 1e3 for row in rows}
        self.peer, self.ours = ms[peer.lower()], ms["neon"]
        self.packing = ms.get("packing", 0.0)
        self.back = min(self.peer, self.ours) - self.packing
        self.counts = [int(field) for field in rows[0][2:fields]]
        self.qpu = None
        if document.exists():
            seconds = json.loads(document.read_text())["kernels"][0]["contents"][0]["runs"][0]["seconds"]
            self.qpu = (seconds["low"] * 1e3, seconds["high"] * 1e3)

    def work(self, codec):
        blocks, filtered = self.counts[0], self.counts[1:]
        return f"{100 * filtered[0] / blocks:.1f} % of the blocks" if codec == "av1" else f"{sum(filtered)} luma edges"


def interval(value):
    return f"{value:.2f} ({CPU_INTERVAL[0] * value:.2f} to {CPU_INTERVAL[1] * value:.2f})"


def print_table(rows):
    print(f"| {' | '.join(rows[0])} |\n|{'---|' * len(rows[0])}")
    for row in rows[1:]:
        print(f"| {' | '.join(row)} |")


def captures_of(directory, codec, board):
    """Returns captures by name and number of the picture, in the clips' order."""
    rows = {}
    for line in (directory / f"{codec}.cycles").read_text().splitlines():
        fields = line.split()
        rows.setdefault(pathlib.Path(fields[0]).stem, []).append(fields)
    captures = {name: Capture(of_name, codec, board, directory / f"{codec}-{board}-{name}.json")
                for name, of_name in rows.items()}
    return dict(sorted(captures.items(), key=lambda item: (item[0].rsplit("-", 1)[0], int(item[0].rsplit("-", 1)[1]))))


def print_pictures(directory, codec):
    _, peer, _, _ = CODECS[codec]
    rows = [["picture", "board", "filtered", f"{peer}'s NEON, 1 core", "sidecore's NEON, 1 core", "QPU", "NEON / QPU"]]
    if codec == "h264":
        rows[0] += ["packing, 1 core", "QPU, published design, luma"]
    for board, (board_name, *_) in BOARDS.items():
        for name, capture in captures_of(directory, codec, board).items():
            if not capture.qpu:
                continue
            low, high = capture.qpu
            rows.append([name, board_name, capture.work(codec), interval(capture.peer), interval(capture.ours),
                         f"{(low + high) / 2:.1f} ({low:.1f} to {high:.1f})",
                         f"{2 * min(capture.peer, capture.ours) / (low + high):.2f}"])
            if codec == "h264":
                edges = sum(count * ns for count, ns in zip(capture.counts[1:], PUBLISHED_EDGES))
                rows[-1] += [f"{capture.packing:.2f}", f"{edges * 1e-6:.1f}" if board == "pi5" else ""]
    print_table(rows)


def mean_back(directory, codec, clip, captures):
    """Returns the mean milliseconds given back per shown picture of a clip."""
    if codec == "av1":
        # A packet shows one picture. Times grow with the number of filtered blocks; what a picture without any takes is
        # cdef_captures' own walk over the blocks, which is not counted.
        head, *frames = (directory / f"{clip}.frames").read_text().splitlines()
        first, last = sorted(captures, key=lambda capture: capture.counts[1])
        per_block = (last.back - first.back) / (last.counts[1] - first.counts[1])
        return per_block * sum(int(frame.split()[1]) for frame in frames) / int(head.split()[0])
    _, predicted, bidirectional = captures  # the encoder puts three B pictures between two P pictures
    return (predicted.back + 3 * bidirectional.back) / 4


def print_clips(directory, codec):
    _, _, _, needed = CODECS[codec]
    rows = [["clip", "board", "CPU time given back per picture, all stages on the QPU", "given back by this stage alone",
             "the QPU keeps 30 pictures/s", f"{needed:.0f} ms or more on a Pi 5"]]
    for board, (board_name, _, _, copy) in BOARDS.items():
        clips = {}
        for name, capture in captures_of(directory, codec, board).items():
            clips.setdefault(name.rsplit("-", 1)[0], []).append(capture)
        for clip, captures in clips.items():
            back = mean_back(directory, codec, clip, captures)
            low = max(capture.qpu[0] for capture in captures if capture.qpu)
            high = max(capture.qpu[1] for capture in captures if capture.qpu)
            keeps = "yes" if high < PICTURE_MS else "no" if low > PICTURE_MS else "not certain"
            samples = 2 if clip.endswith("10") else 1  # bytes per sample
            rows.append([clip, board_name, interval(back), f"{back - samples * copy:.2f}", keeps,
                         ("yes" if back >= needed else "no") if board == "pi5" else ""])
    print_table(rows)


def main():
    directory = pathlib.Path(sys.argv[1])
    print("All times are modelled, in milliseconds of a 1080p picture: middle (low to high). Nothing was measured.")
    for codec in sys.argv[2:]:
        print(f"\n## {CODECS[codec][0]}\n")
        print_pictures(directory, codec)
        print()
        print_clips(directory, codec)
    print("\nCPU time given back is that of the faster NEON code, less packing, with all pictures of the clip on the QPU. If\n"
          "this stage alone moves, the CPU also copies each picture out of the GPU's memory and back, because its other\n"
          "stages read it. The QPU keeps the rate if the slowest of the clip's modelled pictures takes less than 33.3 ms.")


main()
