"""Patches dav1d's benchmark, and compares its modelled cycles with published ones: scripts/armsim-dav1d runs it.

Usage: armsim_dav1d.py patch TABLE TREE             makes TREE's checkasm read the time from the emulator's plugin
       armsim_dav1d.py merge TABLE PREDICTIONS      prints TABLE with new predictions
       armsim_dav1d.py summary TABLE                prints the errors by core and family
TABLE has tab-separated columns: core, family, function, version of dav1d, commit that published the cycles, published
cycles, predicted cycles (empty: none).
"""
import pathlib
import re
import statistics
import sys

# Number of runs of each benchmark. It is far below checkasm's thousands, because the model's branch predictor is
# trained after a few runs.
RUNS = 12
INTERVAL = (0.75, 1.35)  # bounds of published times relative to the predicted time; the same as in docs/armsim.md

CLOCK = """static inline uint64_t readtime(void) {
    uint64_t cycles = 0;
    register uint64_t *x0 __asm__("x0") = &cycles;
    register uint64_t x8 __asm__("x8") = 1000;
    __asm__ __volatile__("svc #0" : "+r"(x0) : "r"(x8) : "memory");
    return cycles;
}
"""


def rows(path):
    """Returns the comments and the rows of a table."""
    lines = pathlib.Path(path).read_text().splitlines()
    return [line for line in lines if line.startswith("#")], [line.split("\t") for line in lines if line and line[0] != "#"]


def replaced(text, pattern, replacement):
    new, count = re.subn(pattern, lambda _: replacement, text, flags=re.DOTALL)
    if count == 0:
        sys.exit(f"checkasm has no text that matches {pattern}")
    return new


def patch(table, tree):
    names = sorted({row[2] for row in rows(table)[1]})
    folder = pathlib.Path(tree) / "tests" / "checkasm"
    header = (folder / "checkasm.h").read_text()
    # The first readtime() for AArch64 reads the cycle counter, which programs may not read under an emulator.
    header = replaced(header, r"static inline uint64_t readtime\(void\) \{\s+uint64_t cycle_counter;.*?\n\}\n", CLOCK)
    header = replaced(header, r"#define BENCH_RUNS [^\n]*", f"#define BENCH_RUNS {RUNS}")
    (folder / "checkasm.h").write_text(header)
    source = (folder / "checkasm.c").read_text()
    wanted = "static int wanted(const char *name) {\n    static const char *const names[] = {" + \
        ", ".join(f'"{name}"' for name in names) + "};\n" \
        "    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)\n" \
        "        if (!strcmp(name, names[i])) return 1;\n    return 0;\n}\n\n"
    source = replaced(source, r"int checkasm_bench_func\(void\) \{\n    return ",
                      wanted + "int checkasm_bench_func(void) {\n"
                      "    return state.cpu_flag && wanted(state.current_func->name) && ")
    # Version 1.5.1 prints a function's assembly only if its C code, the first version, was timed.
    source = source.replace("if (v->iterations) {\n            const double baseline",
                            "if (v->iterations || v->next) {\n            const double baseline")
    (folder / "checkasm.c").write_text(source)


def merge(table, predictions):
    predicted = {}
    for line in pathlib.Path(predictions).read_text().splitlines():
        core, version, function, cycles = line.split("\t")
        predicted[core, function, version] = cycles
    comments, known = rows(table)
    print("\n".join(comments))
    for row in known:
        row = (row + [""])[:7]
        row[6] = predicted.get((row[0], row[2], row[3]), row[6])
        print("\t".join(row))


def summary(table):
    errors = {}
    for core, family, _, _, _, published, predicted in ((row + [""])[:7] for row in rows(table)[1]):
        if predicted:
            error = float(predicted) / float(published) - 1
            errors.setdefault((core, family), []).append(error)
            errors.setdefault((core, "all"), []).append(error)
    print(f"{'core':11} {'family':28} {'rows':>4} {'median':>7} {'of size':>8} {'nine of ten':>11} {'inside':>7}")
    for core, family in sorted(errors, key=lambda key: (key[0], key[1] == "all", key[1])):
        values = errors[core, family]
        sizes = sorted(abs(error) for error in values)
        inside = sum(INTERVAL[0] <= 1 / (1 + error) <= INTERVAL[1] for error in values)
        print(f"{core:11} {family:28} {len(values):4} {100 * statistics.median(values):+6.0f}% "
              f"{100 * statistics.median(sizes):7.0f}% {100 * sizes[min(len(sizes) - 1, 9 * len(sizes) // 10)]:10.0f}% "
              f"{100 * inside / len(values):6.0f}%")


if __name__ == "__main__":
    {"patch": patch, "merge": merge, "summary": summary}[sys.argv[1]](*sys.argv[2:])
