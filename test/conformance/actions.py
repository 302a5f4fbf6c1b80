# SPDX-License-Identifier: Apache-2.0
"""Steps that are more than one call or one program: do_NAME(suite, row, words...)."""
import fcntl
import glob
import json
import os
import signal
import subprocess
import time

import bed
import judge
from judge import want

NETNS = "/run/netns"


def rebuild(suite):
    """The node anew, after a row that left something behind."""
    subprocess.run(["bash", "-c", '. "$TREE/test/helpers.bash"; node_down; node_up; pod_add pod pod2'], check=True)
    bed.level()
    suite.results.clear()
    suite.fresh = bed.look()
    suite.snapshot = bed.settled()


# Facts.

def do_has(_suite, _row, netns, name):
    want(bed.until(lambda: name in bed.links(netns)), f"no {name} in {netns}: {bed.links(netns)}")


def do_lacks(_suite, _row, netns, name):
    want(bed.until(lambda: name not in bed.links(netns)), f"{name} is in {netns}")


def do_attached(_suite, _row, *wanted):
    """Just these CONTAINER/IFNAME are recorded."""
    is_there = []
    for path in glob.glob(f"{bed.STATE}/*/attachments/*.json"):
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
        is_there.append(f"{record['containerID']}/{record['ifname']}")
    want(sorted(is_there) == sorted(wanted), f"attached are {is_there}, wanted {wanted}")


def do_nothing(suite, _row):
    """As before the first ADD."""
    want(bed.until(lambda: bed.look() == suite.fresh), f"left: {bed.differences(suite.fresh, bed.look())}")


def do_domain(suite, row, verb="has"):
    """Every link that a network has on the node is there, or none (lacks)."""
    for link in suite.plugin["links"]:
        (do_has if verb == "has" else do_lacks)(suite, row, *link.split())


def do_domain_at(suite, row, netns, verb):
    """The same in another place than the HBR netns."""
    for link in suite.plugin["links"]:
        (do_has if verb == "has" else do_lacks)(suite, row, netns, link.split()[1])


def do_interface(_suite, _row, pod, name, key, value):
    """What the kernel has: mac, mtu or up."""
    is_there = bed.interface(pod, name)
    want(is_there and str(is_there[key]) == value, f"{pod} {name}: {is_there}, wanted {key} {value}")


def do_address(_suite, _row, pod, name, *wanted):
    is_there = bed.addresses(pod, name)
    want(set(wanted) <= is_there, f"{pod} {name} has {is_there}, wanted {wanted}")


def do_files(_suite, _row, mode):
    """Everything that is kept is readable by its owner only."""
    for path in bed.files():
        want(f"{os.stat(path).st_mode & 0o777:o}" == mode, f"{path}: {os.stat(path).st_mode:o}")


def do_seconds(suite, _row, most):
    want(suite.said.seconds < float(most), f"took {suite.said.seconds:.2f} s, wanted {most}")


# What a delegate was given.

def do_verbs(_suite, _row, *wanted):
    is_there = bed.ipam_file("verbs").decode().split()
    want(is_there == list(wanted), f"the IPAM plugin was called with {is_there}, wanted {list(wanted)}")


def do_given(suite, row, verb):
    """Our input, to the byte, and our environment, but for the verb."""
    want(bed.ipam_file(f"in.{verb}") == suite.sent, f"it got {bed.ipam_file(f'in.{verb}')}, and we {suite.sent}")
    got = set(bed.ipam_file(f"env.{verb}").decode("utf-8", "surrogateescape").strip("\0").split("\0"))
    ours = suite.env(row, row.get("verb", "ADD")) | {"CNI_COMMAND": verb}
    wanted = {f"{key}={value}" for key, value in ours.items()}
    # A shell adds to its environment, but what /proc shows is what it was given.
    want(got == wanted, f"too much {sorted(got - wanted)}, too little {sorted(wanted - got)}")


def do_descriptors(_suite, _row, verb):
    """0, 1 and 2, and what the shell has put at 10 and 11: its script, its standard output; our network namespace."""
    lines = bed.ipam_file(f"fd.{verb}").decode().splitlines()
    numbers = [line.split()[8] for line in lines if "->" in line and "/ns/" not in line]
    want(set(numbers) <= {"0", "1", "2", "10", "11"}, f"descriptors {lines}")
    here = os.readlink("/proc/self/ns/net")
    want(any(here in line for line in lines), f"not in {here}: {lines}")


# What others do.

def do_adopt(suite, _row):
    """Something of a network's is there before the first ADD."""
    netns, name = suite.plugin["adopts"]["link"].split()
    suite.undo.append(f"ip -n {netns} link del {name}")
    for line in suite.plugin["adopts"]["do"]:
        bed.command(line)
    suite.adopted = bed.command(f"ip -n {netns} -details -json link show dev {name}")


def do_adopted(suite, _row):
    """It is as it was."""
    netns, name = suite.plugin["adopts"]["link"].split()
    now = lambda: bed.command(f"ip -n {netns} -details -json link show dev {name}")
    want(bed.until(lambda: steady(now()) == steady(suite.adopted)), f"was {steady(suite.adopted)}, is {steady(now())}")


def steady(text):
    """But for its state, a bridge's timers, and what it takes from its ports."""
    link = json.loads(text)[0]
    link |= link["linkinfo"].get("info_data", {})
    return {key: value for key, value in link.items() if key not in ("operstate", "flags", "linkinfo") and "_timer" not in key and "tso_max" not in key}


def do_kubevirt(suite, _row):
    """The bridge binding: another name and MAC for ours, in a bridge of its own, and a dummy in its place, with its
    MAC and MTU. (Where a kernel has no dummies that is a bridge too.)"""
    kind, is_there = "dummy" if "dummy" in suite.has else "bridge", bed.interface("pod", "net1")
    bed.command("ip -n pod link set net1 down")
    bed.command("ip -n pod link set net1 name net1-nic address 02:00:00:00:00:99")
    bed.command("ip -n pod link add k6t-net1 type bridge")
    bed.command("ip -n pod link set net1-nic master k6t-net1 up")
    bed.command(f"ip -n pod link add net1 address {is_there['mac']} mtu {is_there['mtu']} type {kind}")
    suite.undo += ["ip -n pod link del net1", "ip -n pod link del k6t-net1"]


def do_hide(suite, _row, path):
    """Something else is in the place of a file."""
    bed.command(f"mount --bind /etc/hostname {path}")
    suite.undo.append(f"umount {path}")


def do_undo(suite, _row, *words):
    suite.undo.append(" ".join(words))


def do_locks(suite, _row):
    """Every lock of the state directory is somebody else's, until the row ends."""
    held = []
    for path in glob.glob(f"{bed.STATE}/*/locks/*"):
        held.append(os.open(path, os.O_RDWR))
        fcntl.flock(held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
    want(len(held) >= 2, f"locks: {held}")
    suite.held = held


def do_unlock(suite, _row):
    for fd in suite.held:
        os.close(fd)


def do_break(suite, row):
    """What a domain has, changed by hand, one thing after the other: CHECK names each."""
    for thing in suite.plugin["breaks"]:
        for line in thing["do"]:
            bed.command(line)
        suite.call({"code": 106, "says": thing["says"], "version": row.get("version", "1.1.0"),
                    "net": row.get("net", "addresses")}, "CHECK")
        for line in thing["undo"]:
            bed.command(line)
        suite.call({"net": row.get("net", "addresses")}, "CHECK")


# Many calls.

def popen(suite, verb, cid, ifname, pod="pod"):
    row = {"cid": cid, "ifname": ifname, "pod": pod}
    process = subprocess.Popen([suite.program], env=suite.env(row, verb), stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write(suite.text(row, verb).encode())
    process.stdin.close()
    return process


def finish(process):
    out, err = process.stdout.read(), process.stderr.read()
    return bed.Said(process.wait(), out, err)


def do_crowd(suite, _row, number):
    """So many ADDs at once on one network, then as many DELs: all succeed, there is one domain."""
    who = [(f"c{i}", f"net{i}", bed.PODS[i % 2]) for i in range(int(number))]
    for process, one in [(popen(suite, "ADD", *one), one) for one in who]:
        said = finish(process)
        told = judge.result(said, "1.1.0", {"CNI_NETNS": f"{NETNS}/{one[2]}", "CNI_IFNAME": one[1]}, None)
        suite.results[one[:2]] = told
    do_domain(suite, None)
    do_attached(suite, None, *[f"{cid}/{ifname}" for cid, ifname, _ in who])
    for process in [popen(suite, "DEL", *one) for one in who]:
        judge.silent(finish(process))


def do_killed(suite, _row, number):
    """ADD and DEL, killed after a while that grows from nothing to their whole length."""
    whole = {}
    for verb in ("ADD", "DEL"):
        begin = time.monotonic()
        want(finish(popen(suite, verb, "k", "net1")).status == 0, f"{verb} fails")
        whole[verb] = time.monotonic() - begin
    ends = set()
    for i in range(int(number)):
        for verb in ("ADD", "DEL"):
            process = popen(suite, verb, f"k{i}", "net1")
            time.sleep(whole[verb] * i / int(number))
            process.send_signal(signal.SIGKILL)
            ends.add(finish(process).status)
        want(finish(popen(suite, "DEL", f"k{i}", "net1")).status == 0, "DEL fails after a kill")
        do_nothing(suite, None)
    want(-signal.SIGKILL in ends, f"none was killed in time: {ends}")


def do_killed_beside(suite, row, number):
    """What another container has on the network is not harmed."""
    suite.call({"cid": "stays", "pod": "pod2", "net": "addresses"}, "ADD")
    for i in range(int(number)):
        process = popen(suite, "ADD", f"k{i}", "net1")
        time.sleep(0.004 * i)
        process.send_signal(signal.SIGKILL)
        finish(process)
        suite.call({"cid": "stays", "pod": "pod2", "net": "addresses"}, "CHECK")
        suite.call({"cid": f"k{i}"}, "DEL")
    do_attached(suite, row, "stays/net1")


def do_repeat(suite, row, number, *words):
    for _ in range(int(number)):
        for verb in words:
            suite.call({key: row[key] for key in ("net", "version") if key in row}, verb)


def do_starve(suite, row, first, last, step):
    """ADD in so many KiB of address space works, or says so; then DEL leaves nothing."""
    ends = set()
    for size in range(int(first), int(last), int(step)):
        said = bed.run(suite.program, suite.env(row, "ADD"), suite.text(row, "ADD").encode(), {"limit": size << 10})
        ends.add(said.status)
        if said.status == 0:
            judge.result(said, "1.1.0", suite.env(row, "ADD"), None)
            judge.silent(bed.run(suite.program, suite.env(row, "DEL"), suite.text(row, "DEL").encode()))
        elif said.status == 1:
            told = judge.error(said, "1.1.0")
            suite.messages.add((told["code"], told["msg"]))
            judge.silent(bed.run(suite.program, suite.env(row, "DEL"), suite.text(row, "DEL").encode()))
        else:  # the program does not fit, or its stack does not: it did not get to anything
            want(said.out == "" and (said.status < 0 or said.status == 127), f"{size} KiB: {said}")
        do_nothing(suite, row)
    want(ends >= {0, 1}, f"the sizes do not show both: {ends}")


def do_read_only(suite, row):
    """Nobody may set a sysctl: it works without, or it is an error with the kernel's reason and nothing is left."""
    wrap = ("/usr/bin/unshare --mount /bin/sh -c '/bin/mount --bind /proc/sys /proc/sys && "
            "/bin/mount -o remount,bind,ro /proc/sys && exec \"$@\"' sh")
    said = bed.run(suite.program, suite.env(row, "ADD"), suite.text(row, "ADD").encode(), {"wrap": wrap})
    if said.status == 0:
        judge.result(said, "1.1.0", suite.env(row, "ADD"), None)
    else:
        told = judge.error(said, "1.1.0")
        want(told["code"] == 101 and "Read-only file system" in told["msg"], f"{said}")
        do_nothing(suite, row)
    judge.silent(bed.run(suite.program, suite.env(row, "DEL"), suite.text(row, "DEL").encode(), {"wrap": wrap}))
    do_nothing(suite, row)


def do_hold_up(suite, row):
    """A call that meets a lock of somebody else's, in a state directory of its own, while other rows run."""
    top = f"{bed.WORK}/held"
    with open(f"{top}.json", "w", encoding="utf-8") as file:
        json.dump({"stateDir": top}, file)
    env = suite.env({"cid": "held"}, "ADD") | {"HBR_CNI_NODE": file.name}
    text = suite.text({}, "ADD").encode()
    for verb in ("ADD", "DEL"):
        want(bed.run(suite.program, env | {"CNI_COMMAND": verb}, text).status == 0, f"{verb} fails")
    held = [os.open(path, os.O_RDWR) for path in glob.glob(f"{top}/*/locks/*")]
    for fd in held:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    want(held, "there are no locks")
    process = subprocess.Popen([suite.program], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write(text)
    process.stdin.close()
    suite.held_up = (process, held, time.monotonic())
    do_nothing(suite, row)


def do_held_up(suite, _row):
    """It has given up by itself, after a while that is bounded, and has left nothing."""
    process, held, begin = suite.held_up
    try:
        process.wait(max(0.0, begin + 30 - time.monotonic()))
    finally:
        process.kill()
        for fd in held:
            os.close(fd)
    told = judge.error(finish(process), "1.1.0")
    want(told["code"] == 11 and "another call still has it after 20.000 s" in told["msg"], f"{told}")
    suite.messages.add((told["code"], f"{told['msg']}; {told['details']}"))
    want(not bed.files(f"{bed.WORK}/held"), f"left: {bed.files(f'{bed.WORK}/held')}")


def do_eof(suite, row):
    """Both streams end with the process: nothing of it lives on that holds them."""
    process = subprocess.Popen([suite.program], env=suite.env(row, "ADD"), stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    suite.results[("c1", "net1")] = {}
    process.stdin.write(suite.text(row, "ADD").encode())
    process.stdin.close()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    begin = time.monotonic()
    said = finish(process)
    want(time.monotonic() - begin < 0.1, "the streams stay open after the process has ended")
    want(said.status == 0 and said.out, f"{said}")


def do_traced(suite, row):
    """The result is one write, the last thing that is done; nothing is sent to the kernel after it."""
    log = f"{bed.WORK}/strace"
    suite.call(dict(row, wrap=f"strace -qq -o {log} -e trace=write,sendmsg,rename,renameat,renameat2"), "ADD")
    with open(log, encoding="utf-8", errors="replace") as file:
        calls = file.read().splitlines()
    want(sum(line.startswith("write(1,") for line in calls) == 1, f"writes: {calls}")
    want(calls[-1].startswith("write(1,") and len(calls) > 3, f"after the result: {calls}")


def do_each_request(suite, row, verb):
    """The first, the second, ... netlink request fails: an error, and nothing is left by DEL."""
    log = f"{bed.WORK}/strace"
    suite.results[("c1", "net1")] = {}
    for count in range(1, 200):
        if verb == "DEL":
            suite.call({"net": row["net"]}, "ADD")
        wrap = f"strace -qq -o {log} -e trace=sendmsg -e raw=all -e inject=sendmsg:error=ENOBUFS:when={count}"
        said = bed.run(suite.program, suite.env(row, verb), suite.text(row, verb).encode(), {"wrap": wrap})
        if verb == "DEL":
            judge.silent(bed.run(suite.program, suite.env(row, "DEL"), suite.text(row, "DEL").encode()))
        elif said.status:
            judge.error(said, row.get("version", "1.1.0"))
            do_nothing(suite, row)
        with open(log, encoding="utf-8", errors="replace") as file:
            injected = "INJECTED" in file.read()
        if not injected:
            want(said.status == 0 and count > 5, f"after {count} requests: {said}")
            return
        want(said.status == 1 or verb == "DEL" or row.get("forgives"), f"request {count} failed, and: {said}")
    raise AssertionError("there is no end to it")


def strace(suite, row, verb, inject):
    """One call, with that done to one of its system calls; was it done?"""
    log = f"{bed.WORK}/strace"
    wrap = f"strace -qq -o {log} -e trace={inject.split(':')[0]} -e raw=all -e inject={inject}"
    said = bed.run(suite.program, suite.env(row, verb), suite.text(row, verb).encode(), {"wrap": wrap})
    with open(log, encoding="utf-8", errors="replace") as file:
        text = file.read()
    return said, "INJECTED" in text or "SIGKILL" in text


def do_injected(suite, row, inject, code, text):
    """The first, the second, ... of these system calls fails, until that is what ADD says of it."""
    suite.results[("c1", "net1")] = {}
    for count in range(1, 60):
        said, done = strace(suite, row, "ADD", f"{inject}:when={count}")
        if done and said.status == 1:
            told = judge.error(said, row.get("version", "1.1.0"))
            do_nothing(suite, row)
            if (told["code"], text in told["msg"]) == (int(code), True):
                suite.messages.add((told["code"], told["msg"]))
                return
        suite.call({"net": row["net"]}, "DEL")
    raise AssertionError(f"nothing makes it say {text}")


def do_unended(suite, row):
    """ADD is killed at one after the other of its renames: one of them is between the last link and the end."""
    suite.call(row, "ADD")
    result = suite.results[("c1", "net1")]
    suite.call(row, "DEL")
    for count in range(1, 20):
        strace(suite, row, "ADD", f"rename,renameat,renameat2:signal=KILL:when={count}")
        suite.results[("c1", "net1")] = result
        said = bed.run(suite.program, suite.env(row, "CHECK"), suite.text(row, "CHECK").encode())
        told = judge.error(said, "1.1.0")
        suite.call(row, "DEL")
        do_nothing(suite, row)
        if told["code"] == 106 and "the ADD of net1 did not end" in told["msg"]:
            suite.messages.add((told["code"], told["msg"]))
            return
    raise AssertionError("every ADD that was killed had ended")


def do_robbed(suite, row):
    """An address is taken away while its detection is waited for."""
    suite.results[("c1", "net1")] = {}
    process = subprocess.Popen([suite.program], env=suite.env(row, "ADD"), stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write(suite.text(row, "ADD").encode())
    process.stdin.close()
    address = suite.words["addr6"]
    want(bed.until(lambda: "net1" in bed.links("pod") and address in bed.addresses("pod", "net1")), f"no {address}")
    bed.command(f"ip -n pod addr del {address} dev net1")
    told = judge.error(finish(process), "1.1.0")
    want(told["code"] == 3 and f"net1 in the pod has lost its address {address}" in told["msg"], f"{told}")
    suite.messages.add((told["code"], told["msg"]))
    do_nothing(suite, row)


def do_collected(suite, row, number):
    """GC, once and again, while ADDs come that are in its list: none is lost."""
    who = [(f"c{i}", f"net{i}") for i in range(int(number))]
    valid = json.dumps([{"containerID": cid, "ifname": ifname} for cid, ifname in who])
    for process, one in [(popen(suite, "ADD", *one), one) for one in who]:
        suite.results[one] = {}
        suite.call({"keys": f'"cni.dev/valid-attachments": {valid}'}, "GC")
        want(finish(process).status == 0, "ADD fails beside GC")
    do_attached(suite, row, *[f"{cid}/{ifname}" for cid, ifname in who])


# Calls that are not the row's own.

def do_forget(_suite, _row):
    """A node on which nothing ever was."""
    bed.command(f"rm -rf {bed.STATE}")


def do_forget_domains(_suite, _row):
    """The state directory has its records, and nothing of the networks."""
    for path in glob.glob(f"{bed.STATE}/*/domains"):
        bed.command(f"rm -r {path}")


def do_asked(suite, row, verb):
    """What Multus asks for at ADD, and never again."""
    suite.call({"version": row.get("version", "1.1.0"),
                "env": {"CNI_ARGS": "IgnoreUnknown=1;MAC=02:00:00:00:00:aa;IP=10.9.0.7/24"}}, verb)


def do_other(suite, _row, verb, cid):
    """The same for another network."""
    suite.call({"cid": cid, "pod": "pod2", "net": "other", "keys": '"name": "other"'}, verb)


def do_named(suite, _row, verb, cid):
    """The same for a network of another name that is the same one on the node."""
    suite.call({"cid": cid, "pod": "pod2", "keys": '"name": "other"'}, verb)


def do_final(suite, _row, what, *words):
    """What plugins behind us make of the result."""
    result = suite.results[("c1", "net1")]
    if what == "routes":
        result["routes"] = json.loads(words[0])
    elif what == "interface":
        result["interfaces"].append({"name": words[0]})
    else:
        key, value = words
        result["interfaces"][-1][key] = int(value) if value.isdigit() else value


def do_port(suite, _row, *words):
    """Change the node's end of the pod's interface."""
    netns = suite.words["port"]
    port, = (name for name in bed.links(netns) if name.startswith("pv"))
    bed.command(" ".join(["ip", *([] if netns == "host" else ["-n", netns]), "link set", port, *words]))


def do_ports(suite, _row, number):
    """Of a namespace that is removed the kernel takes the links away a moment later."""
    netns = suite.words["port"]
    want(bed.until(lambda: sum(name.startswith("pv") for name in bed.links(netns)) == int(number)),
         f"{netns} has {bed.links(netns)}, wanted {number} ports")


def do_ipam_says(_suite, _row, name, text):
    want(bed.ipam_file(name).decode().strip() == text, f"{name}: {bed.ipam_file(name)}")


def do_ipam_heals(_suite, _row, verb):
    for name, text in ((f"rc.{verb}", "0\n"), (f"out.{verb}", "")):
        with open(f"{bed.IPAM}/{name}", "w", encoding="utf-8") as file:
            file.write(text)


def do_ipam_next(_suite, _row):
    with open(f"{bed.IPAM}/out.ADD", "w", encoding="utf-8") as file:
        file.write('{"cniVersion": "1.0.0", "ips": [{"address": "10.9.0.5/24"}]}')
