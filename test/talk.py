#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Long TCP connections, of pods that are all looked after by one process.

Standard input has a line for each: NAME NETNS ADDRESS NETNS ADDRESS, of the one that listens and of
the one that connects. When all stand it says "up". From then on each end says the next number twice
a second, and each number that arrives is a line: TIME NAME END NUMBER. A number that is not the next
one, an end of file or an error is one as well: TIME NAME broken WHY. It goes on until it is killed.
"""
import ctypes
import os
import selectors
import socket
import sys
import time

CLONE_NEWNET = 0x40000000
libc = ctypes.CDLL(None, use_errno=True)


def enter(netns):
    fd = os.open(f"/run/netns/{netns}", os.O_RDONLY | os.O_CLOEXEC)
    if libc.setns(fd, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), f"setns {netns}")
    os.close(fd)


def connection(server, address, client, own):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    enter(server)
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.bind((address, 0))
    listener.listen(1)
    enter(client)
    far = socket.socket(family, socket.SOCK_STREAM)
    far.bind((own, 0))
    far.settimeout(20)
    far.connect((address, listener.getsockname()[1]))
    near = listener.accept()[0]
    listener.close()
    return near, far


class End:
    def __init__(self, name, which, sock):
        self.name, self.which, self.sock = name, which, sock
        self.said, self.heard, self.rest = 0, 0, b""
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def note(self, what):
        print(f"{time.time():.3f} {self.name} {what}")

    def say(self):
        self.said += 1
        self.sock.send(b"%d\n" % self.said)

    def hear(self):
        data = self.sock.recv(65536)
        if not data:
            raise OSError("end of file")
        *numbers, self.rest = (self.rest + data).split(b"\n")
        for number in numbers:
            self.heard += 1
            if int(number) != self.heard:
                raise OSError(f"heard {int(number)}, not {self.heard}")
        if numbers:
            self.note(f"{self.which} {self.heard}")


def main():
    selector = selectors.DefaultSelector()
    ends = []
    for line in sys.stdin:
        name, *places = line.split()
        for which, sock in zip(("near", "far"), connection(*places)):
            ends.append(End(name, which, sock))
            selector.register(sock, selectors.EVENT_READ, ends[-1])
    print("up", flush=True)
    following = time.monotonic()

    def attempt(end, action):
        try:
            action()
        except BlockingIOError:
            pass
        except OSError as error:
            end.note(f"broken {error}")
            selector.unregister(end.sock)
            ends.remove(end)

    while True:
        for key, _ in selector.select(max(0, following - time.monotonic())):
            attempt(key.data, key.data.hear)
        if time.monotonic() >= following:
            following += 0.5
            for end in list(ends):
                attempt(end, end.say)
        sys.stdout.flush()


main()
