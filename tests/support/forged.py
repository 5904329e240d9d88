"""Lists of files that look as if this tool had written them."""

import hashlib
import json


def sealed(parts: object) -> bytes:
    """Return a manifest with these parts and a valid seal, which anyone can make."""
    body = json.dumps({"parts": parts}).encode().removesuffix(b"}")
    return body + b',"seal":"' + hashlib.sha256(body).hexdigest()[:16].encode() + b'"}\n'
