# SPDX-License-Identifier: Apache-2.0
"""conform.py [-p PLUGIN] [-i REGEX] [-v] [-l]: the cases, a line of TAP for each id and plugin.

-p: this block of plugins.toml only; -i: ids that match only; -v: tell each case; -l: list the ids of all cases.
All that was said of failures is added to $KEEP/said.
"""
import argparse
import glob
import json
import os
import re
import sys
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))


def read(path):
    with open(path, "rb") as file:
        return tomllib.load(file)


def load_rows(only=""):
    """In the order of the files; those that belong to one id need not stand together."""
    rows = []
    for path in sorted(glob.glob(f"{HERE}/cases/*.toml")):
        table = read(path)
        for row in table["rows"]:
            if re.match(only, row["id"]):
                rows.append(table.get("default", {}) | row | {"_file": os.path.basename(path), "_each": table.get("each", {})})
    return rows


def load_ids():
    """id -> requirement, as the README has them."""
    with open(f"{HERE}/README.md", encoding="utf-8") as file:
        return dict(re.findall(r"^\| ([A-Z]+-[0-9]+) \| [MSDRm/]+ \| (.*?) \|", file.read(), re.M))


def report(number, plugin, id_, title, failures, count):
    state = "not ok" if failures else "ok"
    print(f"{state} {number} {plugin} {id_}: {title} ({count} {'case' if count == 1 else 'cases'})")
    for failure in failures:
        print(f"# {failure}".replace("\n", "\n# "))
    sys.stdout.flush()


def run_rows(suite, rows, verbose):
    """id -> (failures, number of cases)"""
    from suite import expand
    outcome = {}
    for row in expand(rows):
        if row.get("only", suite.type) != suite.type or not set(row.get("needs", [])) <= set(suite.has):
            continue
        failure = suite.run(row)
        failures, count = outcome.setdefault(row["id"], ([], 0))
        outcome[row["id"]] = (failures, count + 1)
        if failure:
            failures.append(f"{row['_file']} {row['_title']}: {failure}")
        if verbose:
            print(f"# {row['id']} {suite.said.seconds if suite.said else 0:.3f} {row['_title'][:150]}: {failure or 'holds'}", flush=True)
    return outcome


def run_plugin(name, plugin, options, number):
    """How many lines were printed, and all that the plugin said of failures."""
    import catalogue
    from suite import Suite
    suite = Suite(name, plugin)
    suite.has = os.environ.get("HAS", "").split()
    suite.begin()
    ids = load_ids()
    outcome = run_rows(suite, load_rows(options.id), options.verbose)
    for id_, (failures, count) in sorted(outcome.items(), key=lambda item: list(ids).index(item[0]) if item[0] in ids else 999):
        number += 1
        title = ids.get(id_)
        report(number, name, id_, title or "", failures if title else [*failures, "README.md does not have this id"], count)
    left = suite.end()
    report(number + 1, name, "all", "the node is as it was before the first case", [left] if left else [],
           sum(count for _, count in outcome.values()))
    report(number + 2, name, "all", "each error that was said is in docs/errors.md", catalogue.unlisted(suite.messages),
           len(suite.messages))
    return number + 2, suite.messages


def lacking(plugin):
    """What the kernel does not have and the plugin needs."""
    return set(plugin["needs"]) - set(os.environ.get("HAS", "").split())


def keep(messages):
    if os.environ.get("KEEP"):
        with open(f"{os.environ['KEEP']}/said", "a", encoding="utf-8") as file:
            file.writelines(json.dumps({"code": code, "msg": text}) + "\n" for code, text in sorted(messages))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--plugin", default="")
    parser.add_argument("-i", "--id", default="")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("-l", "--list", action="store_true")
    options = parser.parse_args()
    if options.list:
        for row in load_rows():
            print(row["id"], row["_file"])
        return 0
    import bed
    bed.make()
    number = 0
    for name, plugin in read(f"{HERE}/plugins.toml").items():
        if options.plugin != name if options.plugin else plugin.get("soak"):
            continue
        if lacking(plugin):
            number += 1
            said = f"{number} {name} all: this kernel has no {', '.join(sorted(lacking(plugin)))}"
            print(f"not ok {said}" if options.plugin else f"ok {said} # skip")
            continue
        number, messages = run_plugin(name, plugin, options, number)
        keep(messages)
    print(f"1..{number}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
