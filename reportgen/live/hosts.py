"""Decide whether a request names this server as its host.

Any site can make its own name resolve to this machine (DNS rebinding); its scripts can then read the responses of this
server. The browser still sends the site's name in the `Host` header, so a request with an unknown host is refused.
"""

import ipaddress
import socket
from collections.abc import Sequence
from urllib.parse import urlsplit


def is_own_host(headers: Sequence[str], host: str, port: int) -> bool:
    """Return whether the `Host` headers of a request are exactly one that names the server at `host` and `port`."""
    if len(headers) != 1:
        return False
    try:
        parts = urlsplit(f"//{headers[0]}")
        name, named_port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return False
    if parts.path or parts.query or parts.username is not None or (named_port or 80) != port:
        return False
    if name in {"localhost", host}:
        return True
    # An address or this machine's own name is safe, because no site can rebind it.
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return not _is_loopback(host) and name == socket.gethostname().lower()
    return address.is_loopback or not _is_loopback(host)


def _is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a server at `host`."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
