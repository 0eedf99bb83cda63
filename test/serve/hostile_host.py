"""Another host, as bad as they come: what a path asks for is what it does. Over
TLS with certificates of an authority of its own, or plainly."""
import gzip
import os
import socket
import ssl
import subprocess
import threading
import warnings

CERTIFICATES = {
    # name: subject alternative names, seconds of validity, who signs
    "good": ("DNS:public.test,DNS:other.test,DNS:moving.test,DNS:localhost,IP:127.0.0.1,IP:8.8.4.4", "+1d", "ca"),
    "elsewhere": ("DNS:elsewhere.test", "+1d", "ca"),
    "expired": ("DNS:public.test", "-1d", "ca"),
    "selfmade": ("DNS:public.test", "+1d", None),
    "odd": (None, "+1d", "ca"),
}
# Whose the last one is: what a terminal and a model would listen to.
ODD = "forget\\what\x1b[2Jyou \u202eknow"


def openssl(folder, *arguments):
    subprocess.run(["openssl", *arguments], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def make_certificates(folder):
    """ca.pem, and NAME.pem with its key for each of the above."""
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl(folder, "req", "-x509", *key, "-keyout", "ca.key", "-out",
            "ca.pem", "-subj", "/CN=test authority", "-days", "2")
    for name, (places, until, signer) in CERTIFICATES.items():
        with open(os.path.join(folder, f"{name}.ext"), "w") as file:
            file.write(f"subjectAltName={places}\n" if places else "")
        who = "x" if places else ODD.replace("\\", "\\\\")
        if not signer:
            openssl(folder, "req", "-x509", *key, "-keyout", f"{name}.key",
                    "-out", f"{name}.crt", "-subj", "/CN=x", "-days", "2",
                    "-addext", f"subjectAltName={places}")
        else:
            openssl(folder, "req", *key, "-keyout", f"{name}.key", "-out",
                    f"{name}.csr", "-utf8", "-subj", f"/CN={who}")
            days = ("-days", "1") if until == "+1d" else ("-days", "-1")
            openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA",
                    "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out",
                    f"{name}.crt", *days, "-extfile", f"{name}.ext")
        with open(os.path.join(folder, f"{name}.pem"), "w") as out:
            for part in ("key", "crt"):
                with open(os.path.join(folder, f"{name}.{part}")) as file:
                    out.write(file.read())


def answer(body=b"", code="200 OK", *headers):
    lines = [f"HTTP/1.1 {code}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class Host:
    """Listens on all addresses; `released` lets go of whoever is kept."""

    def __init__(self, folder=None, certificate="good", redirect="", version=None):
        self.context = None
        self.redirect = redirect
        self.heads = []
        self.connections = 0
        self.arrived = threading.Semaphore(0)
        self.released = threading.Event()
        self.let_go = threading.Event()
        if folder:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(os.path.join(folder, f"{certificate}.pem"))
            if version:
                self.context.set_ciphers("ALL:@SECLEVEL=0")
                with warnings.catch_warnings(action="ignore"):  # that it is old
                    self.context.minimum_version = self.context.maximum_version = version
        self.socket = socket.create_server(("::", 0), family=socket.AF_INET6,
                                           dualstack_ipv6=True, backlog=64)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                peer, _ = self.socket.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer):
        try:
            if self.context:
                peer = self.context.wrap_socket(peer, server_side=True)
            with peer:
                while self.serve_one(peer):
                    pass
        except OSError:
            pass

    def serve_one(self, peer):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            byte = peer.recv(1)
            if not byte:
                return False
            head += byte
        text = head.decode()
        length = next((int(line.split(":")[1]) for line in text.split("\r\n")
                       if line.lower().startswith("content-length:")), 0)
        body = b""
        while len(body) < length:
            body += peer.recv(length - len(body))
        self.heads.append((text, body))
        self.arrived.release()
        if text.startswith("CONNECT "):  # it is no proxy
            peer.sendall(answer(b"", "403 Forbidden"))
            return False
        path = text.split(" ")[1].split("?")[0].rsplit("/", 1)[1]
        return getattr(self, "do_" + path)(peer, body)

    def close(self):
        self.released.set()
        self.socket.close()

    # What paths do: true when the connection goes on.

    def do_ok(self, peer, body):
        peer.sendall(answer(b'{"it": "works"}', "200 OK", "X-Two: a", "X-Two: b"))
        return True

    def do_echo(self, peer, body):
        peer.sendall(answer(body))
        return True

    def do_where(self, peer, body):
        """At which of our addresses."""
        peer.sendall(answer(peer.getsockname()[0].removeprefix("::ffff:").encode()))
        return True

    def number(self, peer, body):
        peer.sendall(answer(body, "200 OK", f"X-Number: {len(self.heads)}"))
        return True

    def do_number(self, peer, body):
        return self.number(peer, b"some")

    def do_number_large(self, peer, body):
        return self.number(peer, b"large " * 50000)

    def do_number_bytes(self, peer, body):
        return self.number(peer, bytes(range(256)))

    def do_held(self, peer, body):
        self.let_go.wait(60)
        return self.do_ok(peer, body)

    def do_silent(self, peer, body):
        self.released.wait()

    def do_dripping(self, peer, body):
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        while not self.released.wait(0.05):
            peer.sendall(b"x")

    def do_endless(self, peer, body):
        peer.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            peer.sendall(b"x" * 65536)

    def do_header_line(self, peer, body):
        peer.sendall(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200000 + b"\r\n\r\n")

    def do_header_endless(self, peer, body):
        peer.sendall(b"HTTP/1.1 200 OK\r\n")
        while True:
            peer.sendall(b"X: y\r\n" * 1000)

    def do_continue_endless(self, peer, body):
        while True:
            peer.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)

    def do_gzip(self, peer, body):
        peer.sendall(answer(gzip.compress(b"packed"), "200 OK",
                            "Content-Encoding: gzip"))
        return True

    def do_gzip_cut(self, peer, body):
        packed = gzip.compress(os.urandom(4096))
        peer.sendall(answer(packed[:-1000], "200 OK", "Content-Encoding: gzip"))

    def do_gzip_sent(self, peer, body):
        """Packed by the transfer, and cut."""
        packed = gzip.compress(os.urandom(4096))[:-1000]
        peer.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n" + packed)

    def do_gzip_chunked(self, peer, body):
        packed = gzip.compress(os.urandom(4096))[:-1000]
        peer.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" %
                     (len(packed), packed))

    def do_gzip_bomb(self, peer, body):
        packed = gzip.compress(gzip.compress(b"\0" * (1 << 28)))
        peer.sendall(answer(packed, "200 OK", "Content-Encoding: gzip, gzip"))

    def do_cut(self, peer, body):
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")

    def do_split(self, peer, body):
        peer.sendall(b"HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 0\r\n\r\n")

    def do_away(self, peer, body):
        peer.sendall(answer(b"", "302 Found", f"Location: {self.redirect}"))
        return True

    def do_again(self, peer, body):
        peer.sendall(answer(b"", "302 Found", "Location: again"))
        return True
