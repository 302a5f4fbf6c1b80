# SPDX-License-Identifier: Apache-2.0
"""Steps that are somebody else's work: what callers make of a result, and callers themselves."""
import hashlib
import json
import os
import subprocess

import actions
import bed
import judge
from judge import want

CNITOOL = f"{bed.BUILD}/tools/cnitool"
BIN = "/opt/cni/bin"
NETWORKS = "/etc/cni/net.d"
CALLS = f"{bed.WORK}/calls"


# Multus.

def host(address):
    return address.split("/")[0]


def entry(result, interface, ips, has_mtu):
    """What is the same in each release; keys without a value are left out."""
    dns = {key: value for key, value in result.get("dns", {}).items() if value}
    routes = [route["gw"] for route in result.get("routes", []) if route["dst"] in ("0.0.0.0/0", "::/0")]
    told = {"interface": interface.get("name"), "mac": interface.get("mac"), "ips": [host(ip["address"]) for ip in ips],
            "mtu": interface.get("mtu") if has_mtu else None, "gateway": routes, "dns": dns}
    return {key: value for key, value in told.items() if value}


def statuses(result, release):
    """The entries of k8s.v1.cni.cncf.io/network-status. Up to 4.0 there is one, of the last interface
    with a sandbox; later one for each of those, with the IPs that point to it."""
    interfaces, ips = result.get("interfaces", []), result.get("ips", [])
    inside = [i for i, interface in enumerate(interfaces) if interface.get("sandbox")]
    if release == "3.9":  # it sorts IPs by what the result calls their version
        ips = [ip for ip in ips if ip.get("version") in ("4", "6")]
    if release in ("3.9", "4.0"):
        return [entry(result, interfaces[inside[-1]] if inside else {}, ips, False)]
    if len(interfaces) == 1 and release != "4.1":
        return [entry(result, interfaces[0] if inside else {}, ips, True)]
    return [entry(result, interfaces[i], [ip for ip in ips if ip.get("interface") == i], True) for i in inside]


def do_network_status(suite, row, release, ifname, mac):
    """Exactly one entry, with all that the row's network gives."""
    result, has = suite.results[("c1", ifname)], row.get("net") == "addresses"
    wanted = {"interface": ifname, "mac": mac}
    if has:
        wanted |= {"ips": [host(suite.words["addr4"]), host(suite.words["addr6"])],
                   "dns": {"nameservers": ["10.9.0.53"], "domain": "example.org"}}
    if release not in ("3.9", "4.0"):
        wanted["mtu"] = bed.interface("pod", ifname)["mtu"]
    told = statuses(result, release)
    want(told == [wanted], f"{release} makes {json.dumps(told)} of it, wanted {json.dumps([wanted])}")


# containerd's go-cni, podman: an interface with a sandbox has at least one IP; an index that leads
# nowhere is their end.

def do_sandbox_address(suite, _row, ifname):
    result = suite.results[("c1", ifname)]
    own = [i for i, interface in enumerate(result["interfaces"]) if interface.get("sandbox") and interface["name"] == ifname]
    for ip in result["ips"]:
        want(0 <= ip.get("interface", -1) < len(result["interfaces"]), f"the index of {ip}: {result}")
    want([ip for ip in result["ips"] if ip["interface"] in own], f"no IP of {ifname}: {result}")


def do_together(suite, _row, *whose):
    """Several networks of one pod at the same time."""
    who = [tuple(one.split("/")) for one in whose]
    for process, one in [(actions.popen(suite, "ADD", *one), one) for one in who]:
        said = actions.finish(process)
        suite.results[one] = judge.result(said, "1.1.0", {"CNI_NETNS": "/run/netns/pod", "CNI_IFNAME": one[1]}, None)


# Callers themselves.

def recorder(suite):
    """In the plugins' directory, under the plugin's name: who calls it is noted."""
    os.makedirs(BIN, exist_ok=True)
    with open(f"{BIN}/{suite.type}", "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\necho "$CNI_COMMAND $CNI_IFNAME" >>{CALLS}\nexec {suite.program}\n')
    os.chmod(file.name, 0o755)
    if os.path.exists(CALLS):
        os.unlink(CALLS)


def calls():
    if not os.path.exists(CALLS):
        return []
    with open(CALLS, encoding="utf-8") as file:
        return file.read().splitlines()


def network(suite, row, *behind):
    """A list in the runtimes' directory: ours, and others behind it."""
    ours = json.loads(suite.text(dict(row, version="1.0.0"), "ADD"))
    plugins = [{key: value for key, value in ours.items() if key not in ("name", "cniVersion")}, *behind]
    with open(f"{NETWORKS}/10-n.conflist", "w", encoding="utf-8") as file:
        json.dump({"cniVersion": "1.0.0", "name": "n", "plugins": plugins}, file)
    suite.undo.append(f"rm {file.name}")


def cnitool(verb):
    env = {"CNI_PATH": f"{BIN}:/usr/lib/cni", "NETCONFPATH": NETWORKS, "CNI_IFNAME": "net1", "PATH": "/usr/bin:/bin"}
    ended = subprocess.run([CNITOOL, verb, "n", "/run/netns/pod"], env=env, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, check=False)
    want(ended.returncode == 0, f"cnitool {verb}: {ended.stdout.decode()}")
    return ended.stdout.decode()


def do_cnitool(suite, row):
    """Its whole life, with tuning behind us. Of GC and STATUS this one knows nothing, and says so by success."""
    recorder(suite)
    suite.results[("cnitool-" + hashlib.sha512(b"/run/netns/pod").hexdigest()[:20], "net1")] = {}
    network(suite, row, {"type": "tuning", "mac": "02:00:00:00:00:bb", "mtu": 1300, "sysctl": {"net.ipv4.conf.net1.arp_ignore": "1"}})
    told = json.loads(cnitool("add"))
    want(told["interfaces"][0]["mac"] == "02:00:00:00:00:bb", f"tuning's MAC is the result's: {told}")
    is_there = bed.interface("pod", "net1")
    want((is_there["mac"], is_there["mtu"]) == ("02:00:00:00:00:bb", 1300), f"tuning has not tuned: {is_there}")
    actions.do_address(suite, row, "pod", "net1", suite.words["addr4"], suite.words["addr6"])
    for verb in ("check", "gc", "status", "del"):
        cnitool(verb)
    want(calls() == ["ADD net1", "CHECK net1", "DEL net1"], f"we were called: {calls()}")
    actions.do_lacks(suite, row, "pod", "net1")


def cgroups():
    """What runc wants, in a mount namespace whose /sys is a new one."""
    if os.path.ismount("/sys/fs/cgroup"):
        return
    bed.command("mount -t tmpfs cgroups /sys/fs/cgroup")
    with open("/proc/cgroups", encoding="utf-8") as file:
        names = [line.split()[0] for line in file if line.split()[-1] == "1"]
    mounted = False
    for name in names:
        os.mkdir(f"/sys/fs/cgroup/{name}")
        mounted |= not bed.command(f"mount -t cgroup -o {name} cgroups /sys/fs/cgroup/{name}", check=False)
    if not mounted:  # a machine that has them all in the second version's one
        bed.command("umount /sys/fs/cgroup")
        bed.command("mount -t cgroup2 cgroups /sys/fs/cgroup")


def do_container(suite, row):
    """containerd, and a container with our interface in it, which says what it sees there."""
    top, socket = f"{bed.WORK}/containerd", f"{bed.WORK}/containerd/socket"
    recorder(suite)
    network(suite, row)
    cgroups()
    for name in ("bin", "proc", "sys", "dev", "etc", "tmp"):
        os.makedirs(f"{top}/rootfs/{name}", exist_ok=True)
    bed.command(f"cp /usr/bin/busybox {top}/rootfs/bin")
    with open(f"{top}/log", "wb") as log:
        # pylint: disable-next=consider-using-with
        daemon = subprocess.Popen(["containerd", "--root", f"{top}/root", "--state", f"{top}/state", "--address", socket],
                                  stdout=log, stderr=log)
    try:
        want(bed.until(lambda: os.path.exists(socket), 30), f"containerd does not start: {bed.command(f'tail {top}/log')}")
        said = bed.command(f"ctr --address {socket} run --rm --cni --rootfs {top}/rootfs one /bin/busybox ip addr show eth0")
    finally:
        daemon.terminate()
        daemon.wait()
    for part in (f"inet {suite.words['addr4']}", f"inet6 {suite.words['addr6']}", ",UP,"):
        want(part in said, f"wanted {part!r} in the container: {said}")
    want(calls() == ["ADD eth0", "DEL eth0"], f"we were called: {calls()}")
