"""A schema of docs is a valid one, the results named hold it, and it notices what is wrong.

Usage: check_results_schema.py SCHEMA RESULT...
"""
import copy
import json
import pathlib
import sys

import jsonschema


def objects(value, path=()):
    """Every object in value, as the path that leads to it; of an array, its first element."""
    if isinstance(value, dict):
        yield path
        for name, member in value.items():
            yield from objects(member, (*path, name))
    elif isinstance(value, list) and value:
        yield from objects(value[0], (*path, 0))


def at(value, path):
    for step in path:
        value = value[step]
    return value


def main(schema_file, *result_files):
    with open(schema_file, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    # One schema may refer to another that lies beside it.
    beside = jsonschema.RefResolver(pathlib.Path(schema_file).resolve().as_uri(), schema)
    validator = jsonschema.Draft7Validator(schema, resolver=beside)
    removed = 0
    for name in result_files:
        with open(name, encoding="utf-8") as file:
            result = json.load(file)
        for error in validator.iter_errors(result):
            sys.exit(f"{name}: {list(error.absolute_path)}: {error.message}")
        # The array's first elements are enough: the others are of the same kind.
        if "kernels" in result:
            result["kernels"] = result["kernels"][:1]
        for path in list(objects(result)):
            for member in at(result, path):
                damaged = copy.deepcopy(result)
                del at(damaged, path)[member]
                removed += 1
                if validator.is_valid(damaged):
                    sys.exit(f"{name}: nobody misses {member} of {list(path)}")
    print(f"{len(result_files)} results hold the schema; {removed} removed members were missed")
    return removed == 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
