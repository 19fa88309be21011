"""Says which kernels the Pi's compiler must compile again. scripts/shaderdb and the test v3dsim.shaderdb use it.

Usage: shaderdb_digests.py write BASELINE SHADERS VERSION [ARGUMENT of scripts/shaderdb]...
       shaderdb_digests.py due BASELINE SHADERS VERSION DRIVER KERNEL...
write  records a digest of each compiled kernel in the file beside BASELINE whose name ends in .digests
due    prints those of the KERNELs, which must be all, whose digest differs from the recorded one, and every eighth of
       the others, another eighth each day. DRIVER is the version of the driver's package

A digest covers the SPIR-V of the kernel's shaders, the driver's version, and the kernel's rows in BASELINE, so that an
edited row is compared too. SHADERS is the directory of the SPIR-V files.
"""

import hashlib
import json
import pathlib
import sys
import time

PARTS = 8


def digest(table, kernel, shaders):
    rows = table["kernels"][kernel]
    programs = {name.split("[")[0] for variant in rows.values() for name in variant["programs"]}
    text = json.dumps([table["driver"], table["workload"], rows], sort_keys=True)
    for program in sorted(programs):
        spirv = shaders / f"{program}.spv"
        text += f"\n{program} " + (hashlib.sha256(spirv.read_bytes()).hexdigest() if spirv.exists() else "missing")
    return hashlib.sha256(text.encode()).hexdigest()


mode, baseline, shaders, version, *rest = sys.argv[1:]
baseline, shaders = pathlib.Path(baseline), pathlib.Path(shaders)
table = json.loads(baseline.read_text())["v3d"][version]
kernels = table["kernels"]
file = baseline.with_suffix(".digests")
recorded = dict(line.rsplit(" ", 1) for line in file.read_text().splitlines()) if file.exists() else {}
if mode == "write":
    compiled = [] if any(word.startswith("--shader-dir") for word in rest) else [k for k in kernels if k in rest] or kernels
    recorded.update({f"{version} {kernel}": digest(table, kernel, shaders) for kernel in compiled})
    file.write_text("".join(f"{key} {value}\n" for key, value in sorted(recorded.items())))
else:
    driver, *names = rest
    gone = sorted(set(kernels) - set(names))
    if gone:
        sys.exit(f"{baseline} has rows of {', '.join(gone)}, which does not exist: run scripts/shaderdb --update")
    today = int(time.time() / 86400) % PARTS
    for index, kernel in enumerate(sorted(names)):
        known = kernel in kernels and table["driver"].endswith(f" {driver}")
        if not known or recorded.get(f"{version} {kernel}") != digest(table, kernel, shaders) or index % PARTS == today:
            print(kernel)
