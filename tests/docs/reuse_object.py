#!/usr/bin/env python3
"""reuse_object.py COMPILER ARGUMENTS...: a compiler launcher for a copy of the source tree.

An object whose source and headers are the same in the copy as in the tree that ORIGINAL_BUILD was made
from is copied from there; everything else is compiled. DEPENDENCIES is what `ninja -t deps` says there.
"""
import filecmp
import os
import pathlib
import shutil
import sys


def dependencies_of(target):
    """The files that an object of the original was made from; none when it is not known there."""
    files = []
    with open(os.environ["DEPENDENCIES"], encoding="utf-8") as listing:
        for line in listing:
            if line.startswith(f"{target}: ") and "(VALID)" in line:
                for dependency in listing:
                    if not dependency.startswith("    "):
                        break
                    files.append(dependency.strip())
                return files
    return files


def same_in_copy(file, original, copy):
    """Whether a dependency is outside the tree, or the copy has the same."""
    path = pathlib.Path(os.path.normpath(original / file))
    root = original.parent.parent
    if not path.is_relative_to(root):
        return True
    twin = copy.parent.parent / path.relative_to(root)
    return twin.is_file() and filecmp.cmp(path, twin, shallow=False)


def reusable(target, original, copy):
    files = dependencies_of(target)
    return (original / target).is_file() and files and all(
        same_in_copy(file, original, copy) for file in files)


def main():
    command = sys.argv[1:]
    target = command[command.index("-o") + 1] if "-o" in command and "-c" in command else None
    original = pathlib.Path(os.environ["ORIGINAL_BUILD"])
    if target and reusable(target, original, pathlib.Path.cwd()):
        shutil.copyfile(original / target, target)
        if "-MF" in command:
            pathlib.Path(command[command.index("-MF") + 1]).write_text(f"{target}:\n")
        return
    os.execvp(command[0], command)


main()
