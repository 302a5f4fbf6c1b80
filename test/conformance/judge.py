# SPDX-License-Identifier: Apache-2.0
"""What every single call has to keep, whatever else its row asks for. Documents are judged by JSON
Schemas, written from the specification's text, with a validator that is not ours."""
import glob
import json
import os

import jsonschema

import bed

HERE = os.path.dirname(os.path.abspath(__file__))
VERSIONS = ("0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0")
# Runtimes take an error with these words for "gone already", and never try again.
SWALLOWED = ("not found", "no such file or directory")


def load_schemas():
    found = {}
    for path in glob.glob(f"{HERE}/schemas/*.json"):
        with open(path, encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft7Validator.check_schema(schema)
        found[os.path.basename(path)[:-len(".json")]] = jsonschema.Draft7Validator(schema)
    return found


SCHEMAS = load_schemas()


def want(condition, text):
    if not condition:
        raise AssertionError(text)


def valid(document, schema):
    for problem in SCHEMAS[schema].iter_errors(document):
        where = "/".join(str(part) for part in problem.absolute_path)
        raise AssertionError(f"{schema}: {where}: {problem.message}: {json.dumps(document)}")


def spoken(text):
    """The version of an answer: the configuration's, where that is one of ours."""
    try:
        version = json.loads(text).get("cniVersion")
    except (ValueError, AttributeError, RecursionError):
        return VERSIONS[-1]
    version = version or VERSIONS[0]
    return version if version in VERSIONS else VERSIONS[-1]


def document(said):
    """Exactly one, on one line, and nothing behind it."""
    want(said.out.endswith("\n") and said.out.count("\n") == 1, f"not one line: {said}")
    return json.loads(said.out)


def error(said, version):
    """Sound, and told to people: the document."""
    want(said.status == 1, f"the exit status of a failure is 1: {said}")
    told = document(said)
    valid(told, "error")
    # What could not be decoded has no version that could be told.
    want(told["cniVersion"] == version or (told["code"] in (5, 6) and told["cniVersion"] == VERSIONS[-1]),
         f"the error is told in {told['cniVersion']}, wanted {version}")
    text = f"{told['msg']}; {told['details']}"
    for words in SWALLOWED:
        want(words not in text.lower(), f"runtimes swallow {words!r}: {text}")
    return told


def silent(said):
    want(said.status == 0, f"failed: {said}")
    want(said.out == "", f"wanted not a byte on standard output: {said}")


def about(said, name):
    """Called without a verb: two lines for people, as the Go library has them."""
    want(said.status == 0 and said.out == "", f"failed: {said}")
    lines = said.err.splitlines()
    want(len(lines) == 2 and lines[0].startswith(f"CNI {name} plugin ") and
         lines[1] == "CNI protocol versions supported: " + ", ".join(VERSIONS), f"says {lines}")


def result(said, version, env, previous):
    """Valid in its version, and what it says of the pod's interface is what the kernel says."""
    want(said.status == 0, f"failed: {said}")
    told = document(said)
    valid(told, f"result-{version}")
    if version < "0.3.0":
        return told
    before = (previous or {}).get("interfaces") or []
    want(len(told["interfaces"]) == len(before) + 1, f"wanted one interface more than before: {told}")
    ours, index = told["interfaces"][-1], len(before)
    want(ours.get("sandbox") == env["CNI_NETNS"] and ours["name"] == env["CNI_IFNAME"], f"not the pod's: {told}")
    is_there = bed.interface(env["CNI_NETNS"], env["CNI_IFNAME"])
    want(is_there and ours["mac"] == is_there["mac"], f"{ours}, and the kernel has {is_there}")
    want(("mtu" in ours) == (version == "1.1.0"), f"mtu came with 1.1.0: {told}")
    want(ours.get("mtu", is_there["mtu"]) == is_there["mtu"], f"{ours}, and the kernel has {is_there}")
    addresses(told, index, env, addresses_of(previous or {}))
    return told


def addresses_of(previous):
    """Before 0.3.0 there are two places for one address each."""
    return previous.get("ips") or [previous[key] for key in ("ip4", "ip6") if key in previous]


def addresses(told, index, env, before):
    """Each address behind those from before us is on our interface, and the kernel has it there."""
    mine = told.get("ips", [])[len(before):]
    want(all(entry.get("interface") == index for entry in mine), f"wanted index {index}: {told}")
    ours = {entry["address"] for entry in mine}
    if ours:
        there = bed.addresses(os.path.basename(env["CNI_NETNS"]), env["CNI_IFNAME"])
        want(ours <= there, f"{ours}, and the kernel has {there}")


def includes(document_, wanted, at=""):
    """Each member that is wanted is there, with that value; a list as a whole."""
    if isinstance(wanted, dict) and isinstance(document_, dict):
        for key, value in wanted.items():
            want(key in document_, f"{at}/{key} is missing: {json.dumps(document_)}")
            includes(document_[key], value, f"{at}/{key}")
    elif isinstance(wanted, list) and isinstance(document_, list) and len(wanted) == len(document_):
        for i, value in enumerate(wanted):
            includes(document_[i], value, f"{at}/{i}")
    else:
        want(document_ == wanted, f"{at}: is {json.dumps(document_)}, wanted {json.dumps(wanted)}")
