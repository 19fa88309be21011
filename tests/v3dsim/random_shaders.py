"""Writes small random compute shaders, each with the test client's options for it.

Usage: random_shaders.py DIRECTORY COUNT SEED writes NAME.comp and NAME.run (one line of client options).

They use only operations whose every bit Vulkan defines: integers without division, floats with small whole
numbers, barriers in uniform flow, workgroups that share memory in multiples of 16 invocations.
"""

import pathlib
import random
import sys

WORDS = 1024  # number of words of each input


class Shader:
    """One shader: variables u0.. (uint), i0.. (int) and f0.. (float), and statements with them."""

    def __init__(self, rng):
        self.rng = rng
        self.shares = rng.random() < 0.3
        self.size = rng.choice((16, 32, 64, 128) if self.shares else (7, 16, 20, 48, 64, 100, 256))
        self.groups = rng.randint(1, 5)
        self.counts = {"u": rng.randint(2, 5), "i": rng.randint(1, 3), "f": rng.randint(0, 2)}
        self.table = rng.choice((0, 0, 4, 16, 32))
        self.loops = 0

    def variable(self, kind):
        return f"{kind}{self.rng.randrange(self.counts[kind])}"

    def expression(self, kind, depth):
        """Returns an expression of a kind; floats stay whole and below 2^20."""
        rng = self.rng
        if kind == "f":
            if self.counts["f"] == 0 or depth == 0 or rng.random() < 0.3:
                return f"float({self.expression('u', 0)} & 1023u)"
            a, b = self.expression("f", depth - 1), self.variable("f")
            return rng.choice((f"bounded({a} + {b})", f"bounded({a} - {b})", f"min({a}, {b})", f"max({a}, {b})",
                               f"abs({a})", f"floor({a} * 0.5)", f"({a} < {b} ? {a} : {b})"))
        if depth == 0 or rng.random() < 0.15:
            return self.leaf(kind)
        a, b = self.expression(kind, depth - 1), self.expression(kind, depth - 1)
        shift = f"({self.expression('u', 0)} & 31u)"
        choices = [f"({a} {op} {b})" for op in ("+", "-", "*", "&", "|", "^")]
        choices += [f"({a} << {shift})", f"({a} >> {shift})", f"min({a}, {b})", f"max({a}, {b})", f"(~{a})",
                    f"({self.condition(depth - 1)} ? {a} : {b})",
                    f"bitfieldExtract({a}, {rng.randrange(20)}, {rng.randrange(1, 13)})",
                    f"bitfieldInsert({a}, {b}, {rng.randrange(20)}, {rng.randrange(1, 13)})",
                    f"bitfieldReverse({a})"]
        if kind == "u":
            choices += [f"uint({self.expression('i', depth - 1)})", f"uint(bitCount({a}))", f"uint(findMSB({a}))"]
            if self.counts["f"]:
                choices.append(f"uint(int({self.expression('f', depth - 1)}))")
        else:
            choices += [f"int({self.expression('u', depth - 1)})", f"abs({a})", f"sign({a})", f"findLSB({a})"]
        return rng.choice(choices)

    def leaf(self, kind):
        rng = self.rng
        pick = rng.random()
        index = f"({self.variable('u')} & {WORDS - 1}u)"
        if pick < 0.45:
            return self.variable(kind)
        if pick < 0.6:
            value = rng.choice((0, 1, 2, 7, 255, 0x8000, 0x7FFFFFFF, rng.getrandbits(31)))
            return f"{value}u" if kind == "u" else f"int({value})"
        if pick < 0.7:
            return f"{'uint' if kind == 'u' else 'int'}(gl_GlobalInvocationID.x)"
        loads = [f"words[{index}]", f"uint(bytes[{index}])", f"uint(shorts[{index}])"]
        if self.table:
            loads.append(f"table[{self.variable('u')} & {self.table - 1}u]")
        load = rng.choice(loads)
        return load if kind == "u" else f"int({load})"

    def condition(self, depth):
        kind = self.rng.choice("uui" + ("f" if self.counts["f"] else ""))
        a, b = self.expression(kind, max(depth, 0)), self.expression(kind, 0)
        return f"({a} {self.rng.choice(('<', '<=', '==', '!=', '>', '>='))} {b})"

    def assignment(self, indent):
        rng = self.rng
        pick = rng.random()
        if self.table and pick < 0.2:
            return [f"{indent}table[{self.variable('u')} & {self.table - 1}u] = {self.expression('u', 2)};"]
        if pick < 0.3:
            return [f"{indent}atomicAdd(sums[{self.expression('u', 1)} & 15u], {self.expression('u', 1)});"]
        kind = rng.choice("uuui" + ("f" if self.counts["f"] else ""))
        return [f"{indent}{self.variable(kind)} = {self.expression(kind, rng.randint(1, 2))};"]

    def statements(self, count, nesting, uniform):
        rng = self.rng
        indent = "  " * (nesting + 1)
        lines = []
        for _ in range(count):
            pick = rng.random()
            if nesting < 3 and pick < 0.2:
                lines.append(f"{indent}if ({self.condition(1)}) {{")
                lines += self.statements(rng.randint(1, 3), nesting + 1, False)
                if rng.random() < 0.5:
                    lines.append(f"{indent}}} else {{")
                    lines += self.statements(rng.randint(1, 3), nesting + 1, False)
                lines.append(f"{indent}}}")
            elif nesting < 2 and pick < 0.35:
                name = f"n{self.loops}"
                self.loops += 1
                same = rng.random() < 0.4
                leaves = rng.random() < 0.4
                end = f"{rng.randint(1, 6)}u" if same else f"({self.expression('u', 1)} & 7u)"
                lines.append(f"{indent}const uint last_{name} = {end};")
                lines.append(f"{indent}for (uint {name} = 0u; {name} < last_{name}; ++{name}) {{")
                lines += self.statements(rng.randint(1, 3), nesting + 1, uniform and same and not leaves)
                if leaves:
                    word = rng.choice(("break", "continue"))
                    lines.append(f"{indent}  if ({self.condition(1)}) {word};")
                    lines += self.assignment(indent + "  ")
                lines.append(f"{indent}}}")
            elif self.shares and uniform and pick < 0.6:
                lines.append(f"{indent}shared_words[gl_LocalInvocationIndex] = {self.expression('u', 1)};")
                lines.append(f"{indent}barrier();")
                other = rng.choice((f"{self.size - 1}u - gl_LocalInvocationIndex", f"{rng.randrange(self.size)}u",
                                    f"{self.variable('u')} & {self.size - 1}u"))
                lines.append(f"{indent}{self.variable('u')} ^= shared_words[{other}];")
                lines.append(f"{indent}barrier();")
            else:
                lines += self.assignment(indent)
        return lines

    def source(self):
        names = {"u": "uint", "i": "int", "f": "float"}
        lines = ["#version 450",
                 "#extension GL_EXT_shader_8bit_storage : require",
                 "#extension GL_EXT_shader_16bit_storage : require",
                 f"layout(local_size_x = {self.size}) in;",
                 "layout(set = 0, binding = 0, std430) readonly buffer Words { uint words[]; };",
                 "layout(set = 0, binding = 1, std430) readonly buffer Bytes { uint8_t bytes[]; };",
                 "layout(set = 0, binding = 2, std430) readonly buffer Shorts { uint16_t shorts[]; };",
                 "layout(set = 0, binding = 3, std430) buffer Sums { uint sums[16]; };",
                 "layout(set = 0, binding = 4, std430) writeonly buffer Results { uint results[]; };",
                 "float bounded(float x) { return abs(x) < 1048576.0 ? x : 1.0; }"]
        if self.shares:
            lines.append(f"shared uint shared_words[{self.size}];")
        lines.append("void main() {")
        if self.table:
            lines.append(f"  uint table[{self.table}];")
            lines.append(f"  for (uint i = 0u; i < {self.table}u; ++i) table[i] = i * 2654435761u;")
        for kind, count in self.counts.items():
            for i in range(count):
                start = f"words[(gl_GlobalInvocationID.x * {self.rng.randint(1, 5)}u + {i * 37}u) & {WORDS - 1}u]"
                start = {"u": start, "i": f"int({start})", "f": f"float({start} & 1023u)"}[kind]
                lines.append(f"  {names[kind]} {kind}{i} = {start};")
        lines += self.statements(self.rng.randint(2, 5), 0, True)
        total = [f"u{i}" for i in range(self.counts["u"])] + [f"uint(i{i})" for i in range(self.counts["i"])]
        total += [f"uint(int(f{i}))" for i in range(self.counts["f"])]
        lines.append("  results[gl_GlobalInvocationID.x] = " + " ^ ".join(
            f"({term} * {2 * i + 1}u)" for i, term in enumerate(total)) + ";")
        return "\n".join(lines + ["}", ""])

    def options(self, number):
        results = 4 * self.size * self.groups
        return (f"--groups {self.groups},1,1 --buffer 0.0:{4 * WORDS}:{number} --buffer 0.1:{WORDS}:{number + 1} "
                f"--buffer 0.2:{2 * WORDS}:{number + 2} --buffer 0.3:64 --buffer 0.4:{results}")


def main():
    directory, count, seed = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    for number in range(count):
        shader = Shader(random.Random(seed * 1000003 + number))
        name = directory / f"random_{number:03d}"
        name.with_suffix(".comp").write_text(shader.source(), encoding="utf-8")
        name.with_suffix(".run").write_text(shader.options(number) + "\n", encoding="utf-8")


main()
