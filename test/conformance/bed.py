# SPDX-License-Identifier: Apache-2.0
"""The place: how a plugin is run, and what is there before and after. Nothing is judged here.

Links are looked at without a program: in a guest kernel one costs more than all the rest of a case.
"""
import contextlib
import ctypes
import fcntl
import json
import os
import re
import resource
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time

BUILD, TREE = os.environ["BUILD"], os.environ["TREE"]
SNAPSHOT = f"{BUILD}/test/snapshot/snapshot"
STATE = "/run/hbr-cni"
PODS = ("pod", "pod2")
LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000
RTM_NEWADDR, RTM_GETADDR, NLM_F_REQUEST, NLM_F_DUMP, IFA_ADDRESS, IFA_LOCAL = 20, 22, 1, 0x300, 1, 2
IFA_F_TENTATIVE = 0x40
SIOCGIFFLAGS, SIOCGIFMTU, SIOCGIFHWADDR = 0x8913, 0x8921, 0x8927

WORK = tempfile.mkdtemp(prefix="conformance.")
IPAM = f"{WORK}/ipam"
NODE_FILE = f"{WORK}/node.json"

# An IPAM plugin that notes what it is given, and answers what the files beside it say.
FAKE = f"""#!/bin/sh
cd {IPAM} || exit 9
echo "$CNI_COMMAND" >>verbs
[ -e deaf ] || cat >"in.$CNI_COMMAND"
cat /proc/$$/environ >"env.$CNI_COMMAND"
ls -l /proc/$$/fd /proc/$$/ns/net >"fd.$CNI_COMMAND"
[ ! -e do ] || . ./do
[ ! -e "err.$CNI_COMMAND" ] || cat "err.$CNI_COMMAND" >&2
[ ! -e "out.$CNI_COMMAND" ] || cat "out.$CNI_COMMAND"
read -r status <"rc.$CNI_COMMAND"
exit "$status"
"""

# Another one of that name, which gives nothing.
FAILS = """#!/bin/sh
[ "$CNI_COMMAND" = DEL ] || exit 77
"""


class Said:
    """What a plugin said: its exit status and both its streams."""

    def __init__(self, status, out, err, seconds=0.0):
        self.status, self.seconds = status, seconds
        self.out, self.err = out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "surrogateescape")

    def __str__(self):
        return f"status {self.status}, out {self.out[:600]!r}, err {self.err[:600]!r}"


@contextlib.contextmanager
def inside(netns):
    """For this thread, which is the only one; "host" is where the driver runs."""
    if netns == "host":
        yield
        return
    path = netns if netns.startswith("/") else f"/run/netns/{netns}"
    home, there = os.open("/proc/self/ns/net", os.O_RDONLY), -1
    try:
        there = os.open(path, os.O_RDONLY)
        if LIBC.setns(there, CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), path)
        yield
    finally:
        LIBC.setns(home, CLONE_NEWNET)
        os.close(home)
        if there >= 0:
            os.close(there)


def links(netns):
    try:
        with inside(netns):
            return sorted(name for _, name in socket.if_nameindex())
    except OSError:
        return []


def interface(netns, name):
    """MAC, MTU and whether it is up; None when it is not there."""
    with inside(netns), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ask:
        def get(request):
            return fcntl.ioctl(ask, request, struct.pack("16s24x", name.encode()))[16:]
        try:
            mac = ":".join(f"{byte:02x}" for byte in get(SIOCGIFHWADDR)[2:8])
            flags, = struct.unpack_from("H", get(SIOCGIFFLAGS))
            mtu, = struct.unpack_from("i", get(SIOCGIFMTU))
        except OSError:
            return None
    return {"mac": mac, "mtu": mtu, "up": bool(flags & 1)}


def addresses(netns, name):
    """Each as address/prefix."""
    found, more = set(), True
    with inside(netns), socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as ask:
        index = socket.if_nametoindex(name)
        ask.send(struct.pack("=IHHIIB7x", 24, RTM_GETADDR, NLM_F_REQUEST | NLM_F_DUMP, 1, 0, socket.AF_UNSPEC))
        while more:
            answer = ask.recv(1 << 16)
            while answer and (more := struct.unpack_from("=H", answer, 4)[0] == RTM_NEWADDR):
                length, = struct.unpack_from("=I", answer)
                family, prefix, _, _, whose = struct.unpack_from("=BBBBI", answer, 16)
                if whose == index:
                    found.add(f"{socket.inet_ntop(family, address_in(answer[24:length]))}/{prefix}")
                answer = answer[length:]
    return found


def address_in(attributes):
    """The local one; IFA_ADDRESS is a peer's where there is one."""
    found = {}
    while attributes:
        length, kind = struct.unpack_from("=HH", attributes)
        found[kind] = attributes[4:length]
        attributes = attributes[(length + 3) & ~3:]
    return found.get(IFA_LOCAL, found.get(IFA_ADDRESS))


def files(top=STATE):
    """The state, without its locks: those are never removed, for somebody may wait for one."""
    found = {}
    for where, dirs, names in os.walk(top):
        dirs[:] = [name for name in dirs if name != "locks"]
        for name in names:
            path = os.path.join(where, name)
            with open(path, "rb") as file:
                found[path] = file.read()
    return found


def look():
    """Names of links, contents of the state: what a failure or a DEL must not change."""
    return {netns: links(netns) for netns in ("host", "hbr", *PODS)} | files()


def differences(before, now):
    return [f"{key}: was {before.get(key)}, is {now.get(key)}"
            for key in sorted(before.keys() | now.keys()) if before.get(key) != now.get(key)]


def snapshot():
    """Everything there is to see on the node, but for what its bridges learn."""
    places = ["/proc/self/ns/net", "hbr", *PODS]
    return subprocess.run([SNAPSHOT, "-x", "* dynamic *", "-s", STATE, *places], check=True,
                          stdout=subprocess.PIPE).stdout.decode().splitlines()


def tentative(line):
    """An address that the kernel is still looking for elsewhere."""
    address = re.search(r" address \S+ flags (\d+)", line)
    return address and int(address[1]) & IFA_F_TENTATIVE


def settled(seconds=3.0):
    """A snapshot when the kernel has come to rest: a carrier comes a moment after "up", an address a second or two."""
    end = time.monotonic() + seconds
    last, now = None, snapshot()
    while (now != last or any(map(tentative, now))) and time.monotonic() < end:
        last, now = now, snapshot()
    return now


def command(text, check=True):
    """One program, without a shell."""
    ended = subprocess.run(shlex.split(text), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if check and ended.returncode:
        raise AssertionError(f"{text}: {ended.stdout.decode()}")
    return ended.stdout.decode()


def until(question, seconds=3.0):
    """Poll: what the kernel does by itself comes a moment later."""
    end = time.monotonic() + seconds
    while not (answer := question()) and time.monotonic() < end:
        time.sleep(0.02)
    return answer


def ipam_reset(answers=None):
    """{"ADD": answer, "rc.DEL": "1", "do": shell text}: everything else succeeds in silence."""
    shutil.rmtree(IPAM, ignore_errors=True)
    os.mkdir(IPAM)
    answers = {f"rc.{verb}": "0" for verb in ("ADD", "DEL", "CHECK", "GC", "STATUS")} | (answers or {})
    for name, text in answers.items():
        with open(f"{IPAM}/{name if '.' in name or name in ('do', 'deaf') else 'out.' + name}", "w",
                  encoding="utf-8", errors="surrogateescape") as file:
            file.write(text + "\n" * name.startswith("rc."))


def ipam_file(name):
    try:
        with open(f"{IPAM}/{name}", "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def make():
    level()
    for name in ("a", "b", "empty"):
        os.mkdir(f"{WORK}/{name}")
    os.mkdir(f"{WORK}/a/directory")
    for where, name, text, mode in (("a", "fake", FAKE, 0o755), ("b", "fake", FAILS, 0o755),
                                    ("a", "plain", FAKE, 0o644), ("b", "directory", FAKE, 0o755)):
        with open(f"{WORK}/{where}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(file.name, mode)
    os.symlink("fake", f"{WORK}/a/link")
    ipam_reset()


def level():
    """Where there are no VRFs, hbn is an uplink too: then the MTU would be another one than elsewhere."""
    command("ip link del hbn")


STREAMS = {"closed": None, "full": "/dev/full"}


def prepare(row):
    """What is to be done in the child before it is the plugin; None: nothing."""
    def close():
        for fd, key in enumerate(("stdin", "stdout", "stderr")):
            if row.get(key) == "closed":
                os.close(fd)
        if "limit" in row:
            resource.setrlimit(resource.RLIMIT_AS, (row["limit"], row["limit"]))
        if "umask" in row:
            os.umask(int(row["umask"], 8))
        if row.get("ignore"):
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    return close if {"limit", "umask", "ignore"} & row.keys() or "closed" in row.values() else None


def open_streams(row, stack):
    streams = []
    for key, mode in (("stdin", "rb"), ("stdout", "wb")):
        path = {"full": "/dev/full", "directory": "/run"}.get(row.get(key))
        if path:
            fd = os.open(path, os.O_RDONLY if mode == "rb" else os.O_WRONLY)
            stack.callback(os.close, fd)
            streams.append(fd)
        elif row.get(key) == "gone":  # somebody who has left
            there, here = os.pipe()
            os.close(there)
            stack.callback(os.close, here)
            streams.append(here)
        elif row.get(key) == "terminal":  # somebody who types nothing
            there, here = os.openpty()
            stack.callback(os.close, there)
            stack.callback(os.close, here)
            streams.append(here)
        else:
            streams.append(subprocess.PIPE)
    return streams


def talk(process, text, row):
    """Feed it, and hear what it says."""
    if row.get("stdin") == "open":  # a caller that never closes
        process.stdout.read1(0)
        out, err = process.stdout.read(), process.stderr.read()
        process.wait(30)
        return out, err
    if row.get("stdin") == "bytes":
        with contextlib.suppress(BrokenPipeError):
            for byte in text:
                os.write(process.stdin.fileno(), bytes([byte]))
                time.sleep(0.001)
        text = b""
    return process.communicate(text if process.stdin else None, timeout=60)


def run(plugin, env, text, row=None):
    """Run it with just that environment, that text on its standard input, and what the row says."""
    row = row or {}
    argv = [*shlex.split(row.get("wrap", "")), plugin, *row.get("argv", [])]
    begin = time.monotonic()
    with contextlib.ExitStack() as stack:
        stdin, stdout = open_streams(row, stack)
        process = subprocess.Popen(argv, env=env, cwd=row.get("cwd", "/"), stdin=stdin, stdout=stdout,
                                   stderr=subprocess.PIPE, preexec_fn=prepare(row))
        try:
            out, err = talk(process, text, row)
        finally:
            process.kill()
            process.wait()
    return Said(process.returncode, out or b"", err or b"", time.monotonic() - begin)
