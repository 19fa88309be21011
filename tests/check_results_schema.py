"""Checks that `sidecore schema` prints a valid JSON Schema, that the results follow it, and that it rejects faults.

Usage: check_results_schema.py [--fill MEMBERS] SIDECORE COMMAND RESULT...

The program SIDECORE prints the schema of COMMAND's results.

MEMBERS is a JSON object. Its members replace members of the same names everywhere in a result. They have
values that the machine which wrote the result could not measure.
"""
import copy
import json
import subprocess
import sys

import jsonschema


def places(value, path=()):
    """Yields the path of every object member and of the first element of every array in value. The
    other elements are of the same kind."""
    if isinstance(value, dict):
        steps = list(value)
    else:
        steps = [0] if isinstance(value, list) and value else []
    for step in steps:
        yield (*path, step)
        yield from places(value[step], (*path, step))


def at(value, path):
    for step in path:
        value = value[step]
    return value


def without(result, path):
    damaged = copy.deepcopy(result)
    del at(damaged, path[:-1])[path[-1]]
    return damaged


def of_another_type(result, path):
    damaged = copy.deepcopy(result)
    value = at(damaged, path)
    at(damaged, path[:-1])[path[-1]] = "text" if isinstance(value, (dict, list)) else {}
    return damaged


def gates(result):
    """Yields every object that contains a gate's report, and the gate's name."""
    for holder in [result, *result["kernels"]]:
        for name in ("m1", "m2", "m3", "m4", "m5"):
            if holder.get(name):
                yield holder, name


def check_reasons(result, validator):
    """Checks that a gate is null, complete, or contains only the reason why it did not run."""
    for holder, name in gates(result):
        report = holder[name]
        stand_ins = [(None, True), ({"not_run": "why"}, True), ({"not_run": ""}, False), ({}, False)]
        some_member = next((member for member in report if member != "not_run"), None)
        if some_member:  # the gate ran, so the schema must allow its members
            stand_ins.append(({"not_run": "why", some_member: report[some_member]}, False))
        for stand_in, good in stand_ins:
            holder[name] = stand_in
            if validator.is_valid(result) != good:
                sys.exit(f"{name}: {stand_in} is {'refused' if good else 'accepted'}")
        holder[name] = report


def filled(value, members):
    if isinstance(value, list):
        return [filled(element, members) for element in value]
    if not isinstance(value, dict):
        return value
    return {name: members[name] if name in members else filled(member, members)
            for name, member in value.items()}


def load(name):
    with open(name, encoding="utf-8") as file:
        return json.load(file)


def main(*arguments):
    members = {}
    if arguments[0] == "--fill":
        members = load(arguments[1])
        arguments = arguments[2:]
    sidecore, command, *result_files = arguments
    schema = json.loads(subprocess.run([sidecore, "schema", command], check=True, capture_output=True).stdout)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    removed = changed = 0
    for name in result_files:
        as_written = load(name)
        result = filled(as_written, members)
        for document in [as_written, result] if members else [as_written]:
            for error in validator.iter_errors(document):
                sys.exit(f"{name}: {list(error.absolute_path)}: {error.message}")
        # Only one kernel is checked, because all kernels have the same form.
        if "kernels" in result:
            result["kernels"] = result["kernels"][:1]
            check_reasons(result, validator)
        for path in list(places(result)):
            if isinstance(path[-1], str):
                removed += 1
                if validator.is_valid(without(result, path)):
                    sys.exit(f"{name}: {list(path)} may be missing")
            changed += 1
            if validator.is_valid(of_another_type(result, path)):
                sys.exit(f"{name}: {list(path)} may be of any type")
    print(f"{len(result_files)} results follow the schema, which rejects {removed} removed members and "
          f"{changed} values of a wrong type")
    return removed == 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
