# SPDX-License-Identifier: Apache-2.0
"""Runs the rows of cases/*.toml against one plugin. What a row can say stands in README.md."""
import itertools
import json
import os
import re
import shlex

import actions
import bed
import callers
import judge
from judge import want

PATH = f"{bed.WORK}/a:{bed.WORK}/b:/usr/lib/cni"
WORDS = {"long": "x" * 5000, "253": "x" * 253, "mib": "x" * (1 << 20), "deep": "[" * 3000 + "]" * 3000 + "}",
         "33ips": ", ".join(f'"10.9.0.{i}/24"' for i in range(33)),
         "33addresses": ", ".join(f'{{"address": "10.9.0.{i}/24"}}' for i in range(33)),
         "half": "x" * (1 << 19), "work": bed.WORK, "path": PATH,
         "ipam": '{"cniVersion": "1.0.0", "ips": [{"address": "10.9.0.4/24"}]}',
         "theirs": '{"cniVersion": "1.0.0", "interfaces": [{"name": "veth1", "mac": "02:00:00:00:00:11"}, '
                   '{"name": "eth0", "mac": "02:00:00:00:00:12", "sandbox": "/run/netns/pod"}], '
                   '"ips": [{"address": "192.0.2.5/24", "interface": 1, "gateway": "192.0.2.1"}], '
                   '"routes": [{"dst": "0.0.0.0/0", "gw": "192.0.2.1"}], "dns": {"nameservers": ["192.0.2.53"]}}'}
ATTACHED = ("ADD", "DEL", "CHECK")


def fill(value, words):
    """<word> stands for a text, <xFF> for a byte; lists and tables are filled in all their parts."""
    if isinstance(value, dict):
        return {key: fill(part, words) for key, part in value.items()}
    if isinstance(value, list):
        return [fill(part, words) for part in value]
    if not isinstance(value, str):
        return value
    value = re.sub(r"<x([0-9A-F]{2})>", lambda m: bytes([int(m[1], 16)]).decode("utf-8", "surrogateescape"), value)
    return re.sub(r"<([A-Za-z0-9-]+)>", lambda m: str(words.get(m[1], m[0])), value)


def expand(rows):
    """A row for each combination of a list of verbs, a list of versions, and what "each" lists."""
    for row in rows:
        lists = {key: row[key] for key in ("verb", "version") if isinstance(row.get(key), list)}
        lists |= {f"<{key}>": values for key, values in row.get("each", {}).items()}
        for values in itertools.product(*lists.values()):
            one, words = dict(row), {}
            for key, value in zip(lists, values):
                words[key.strip("<>")] = value
                if key[0] != "<":
                    one[key] = value
                part = row.get("_each", {}).get(key.strip("<>"), {}).get(value, {})
                words |= part.get("words", {})
                one["env"] = part.get("env", {}) | one.get("env", {})
                one |= {key: value for key, value in part.items() if key not in ("words", "env")}
            one["_words"] = {key: one[key] for key in ("verb", "version") if key in one} | words
            one["_title"] = " ".join([row.get("name", row.get("keys", "")), *map(repr, values)]).strip()
            yield one


def marshal(text):
    """As the Go library hands a configuration on: keys sorted, no blanks, three characters escaped."""
    text = json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


class Suite:
    """One plugin (or one way to use it), and what is attached by it."""

    def __init__(self, name, plugin):
        self.name, self.plugin = name, plugin
        self.type = plugin.get("plugin", name)
        self.program = f"{os.environ['PLUGINS_DIR']}/{self.type}"
        self.results, self.undo, self.said = {}, [], None
        self.messages = set()
        self.words = WORDS | plugin["words"] | {"stripped": plugin["stripped"], "other": plugin["keys"]["other"]}
        self.words["spaced"] = ' {"x" : 1.50 ,' + plugin["conf"][1:-1] + ', "ipam": {"type":\t"fake"}}'

    # What is called, and how.

    def text(self, row, verb):
        if "input" in row:
            return fill(row["input"], self.words | {"conf": self.plugin["conf"]} | row.get("_words", {}))
        keys = [f'"cniVersion": "{row["version"]}"'] if "version" in row else []
        keys += [self.plugin["keys"][row["net"]]] if "net" in row else []
        keys += [row[key] for key in ("base", "keys") if row.get(key)]
        if verb == "CHECK" and row.get("prev", True) and '"prevResult"' not in row.get("keys", ""):
            keys.append('"prevResult": <result>')
        text = self.plugin["conf"][:-1] + "".join(f", {part}" for part in keys) + "}"
        last = self.results.get((row.get("cid", "c1"), row.get("ifname", "net1")), {})
        text = fill(text, self.words | {"result": json.dumps(last)} | row.get("_words", {}))
        return marshal(text) if row.get("marshal") else text

    def env(self, row, verb):
        env = {"CNI_COMMAND": verb, "CNI_PATH": PATH}
        if verb in ATTACHED:
            env |= {"CNI_CONTAINERID": row.get("cid", "c1"), "CNI_NETNS": "/run/netns/" + row.get("pod", "pod"),
                    "CNI_IFNAME": row.get("ifname", "net1")}
        if "node" in row:
            env["HBR_CNI_NODE"] = bed.NODE_FILE
            with open(bed.NODE_FILE, "w", encoding="utf-8") as file:
                file.write(row["node"])
        env |= row.get("env", {}) | ({row["empty"]: ""} if "empty" in row else {})
        env |= {row["spoil"]: "a/b"} if "spoil" in row else {}
        env = {key: value for key, value in env.items() if key not in row.get("unset", [])}
        return fill(env, self.words | row.get("_words", {}))

    def call(self, row, verb):
        """One call, and everything that every call has to keep."""
        text, env = self.text(row, verb), self.env(row, verb)
        self.sent = text.encode("utf-8", "surrogateescape")
        who = (env.get("CNI_CONTAINERID"), env.get("CNI_IFNAME"))
        if verb == "ADD" and None not in who and who not in self.results:
            self.results[who] = {}
        said = self.said = bed.run(self.program, env, self.sent, row)
        if row.get("stdout") in ("closed", "full", "gone"):
            want(said.status == 1, f"nobody got the answer, and it says success: {said}")
        elif "code" in row:
            self.judge_error(row, said, text, verb)
        else:
            self.judge_success(row, said, text, env, who, verb)

    # What every call has to keep.

    def judge_error(self, row, said, text, verb):
        told = judge.error(said, judge.spoken(text))
        line = f"{told['msg']}; {told['details']}"
        if "rc." not in " ".join(row.get("ipam", {})):  # what an IPAM plugin says is its own
            self.messages.add((told["code"], line))
        codes = row["code"] if isinstance(row["code"], list) else [int(row["code"])]
        want(told["code"] in codes, f"code {told['code']}, wanted {codes}: {line}")
        for part in fill(row.get("says", []), self.words | row.get("_words", {})):
            want(part in line, f"wanted in it {part!r}: {line}")

    def judge_success(self, row, said, text, env, who, verb):
        if verb == "ADD":
            previous = json.loads(text).get("prevResult") if "prevResult" in text else None
            told = judge.result(said, judge.spoken(text), env, previous)
            self.results[who] = told
            self.words["mac"] = told["interfaces"][-1]["mac"] if "interfaces" in told else ""
        elif verb == "VERSION":
            judge.valid(judge.document(said), "version")
        elif verb:
            judge.silent(said)
        else:
            judge.about(said, self.type)
        want(said.err == row.get("err", "").replace("<any>", said.err), f"wanted nothing on standard error: {said}")
        if "has" in row or "is" in row:
            wanted = json.loads(fill(row.get("has", row.get("is")), self.words | row.get("_words", {})))
            told = json.loads(said.out)
            judge.includes(told, wanted)
            want("is" not in row or told == wanted, f"is {told}, wanted {wanted}")

    # Steps before and after: calls, facts, named actions, programs.

    def shared(self, row):
        """What a row says of each of its calls."""
        keys = ("base", "net", "node", "version", "marshal", "_words", *row.get("share", []))
        return {key: row[key] for key in keys if key in row and (key != "node" or row.get("shared", True))}

    def calls(self, row):
        """One after the other, each as a row of its own."""
        for one in row.get("calls", []):
            env = row.get("env", {}) | one.get("env", {})
            who = {key: row[key] for key in ("cid", "ifname", "pod", "cwd") if key in row}
            self.call(self.shared(row) | who | one | {"env": env}, one["verb"])
            for text in one.get("then", []):
                self.step(text, row)

    def step(self, text, row):
        words = shlex.split(text)
        if words[0] in ("ADD", "DEL", "CHECK", "GC", "STATUS"):
            shared = self.shared(row)
            whose = dict(zip(("cid", "ifname", "pod"), [word for word in words[1:] if word != "fails"]))
            fails = {"code": list(range(1, 200))} if words[-1] == "fails" else {}
            self.call(shared | whose | fails | ({"err": "<any>"} if "err" in row else {}), words[0])
        elif (act := getattr(actions, "do_" + words[0], None) or getattr(callers, "do_" + words[0], None)):
            act(self, row, *words[1:])
        else:
            bed.command(text)

    def case(self, row):
        row["_words"] = fill(row["_words"], self.words)
        # What an ADD has said is known after it.
        row = fill(row, {key: word for key, word in self.words.items() if key != "mac"} | row["_words"])
        bed.ipam_reset(row.get("ipam"))
        for text in row.get("before", []):
            self.step(text, row)
        before = bed.settled() if row.get("exact") else bed.look()
        if "calls" not in row and row.get("verb", "ADD") != "none":
            self.call(row, row.get("verb", "ADD"))
        self.calls(row)
        unchanged = "code" in row or "stdout" in row or row.get("verb") in ("CHECK", "STATUS", "VERSION")
        if row.get("same", unchanged):
            now = bed.settled() if row.get("exact") else bed.look()
            if row.get("exact"):
                want(before == now, f"changed: {sorted(set(before) ^ set(now))}")
            else:
                want(before == now, f"changed: {bed.differences(before, now)}")
        for text in row.get("then", []):
            self.step(text, row)
        if "verbs" in row:
            actions.do_verbs(self, row, *row["verbs"].split())

    def clean(self):
        """DEL of all that was added, by record; then there must be nothing left."""
        while self.undo:
            bed.command(self.undo.pop(), check=False)
        for pod in bed.PODS:
            if not os.path.exists(f"/run/netns/{pod}"):
                bed.command(f"ip netns add {pod}")
        for (cid, ifname) in list(self.results):
            if os.path.exists(bed.STATE):
                bed.ipam_reset()
                bed.run(self.program, self.env({"cid": cid, "ifname": ifname}, "DEL"),
                        self.text({}, "DEL").encode())
        self.results.clear()

    def run(self, row):
        """The failure as a text; None: it holds."""
        failure = None
        try:
            self.case(row)
        except Exception as problem:  # pylint: disable=broad-except
            failure = f"{type(problem).__name__}: {problem}" if not isinstance(problem, AssertionError) else str(problem)
        self.clean()
        left = bed.until(lambda: bed.look() == self.fresh)
        if not left:
            failure = f"{failure or ''} left: {bed.differences(self.fresh, bed.look())}"
            actions.rebuild(self)
        return failure

    def begin(self):
        self.fresh = bed.look()
        self.snapshot = bed.settled()

    def end(self):
        """The whole node, with all that a look at names does not see."""
        if bed.until(lambda: bed.snapshot() == self.snapshot):
            return None
        return f"the node is not as it was: {sorted(set(bed.snapshot()) ^ set(self.snapshot))[:40]}"
