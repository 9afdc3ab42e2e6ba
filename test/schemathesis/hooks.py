"""Rules for clients that a schema cannot express."""

import re

import schemathesis
from schemathesis.generation.meta import TestPhase

keys = set()
cursors = []
ids = []


@schemathesis.hook
def filter_body(context, body):
    """Drops bodies with a key __proto__ below the top level, which their schema cannot exclude."""
    unknown = body.values() if isinstance(body, dict) else []
    return not any(has_proto(value) for value in unknown)


def has_proto(value):
    if isinstance(value, list):
        return any(has_proto(part) for part in value)
    return isinstance(value, dict) and ("__proto__" in value or has_proto(list(value.values())))


@schemathesis.hook
def before_call(context, case, kwargs):
    replace_reused_key(case)
    replace_invented_cursor(case)
    replace_invented_id(case)


def replace_reused_key(case):
    """Replaces an Idempotency-Key that was sent before: its pet has another body, or may be deleted by now."""
    sent = (case.headers or {}).get("Idempotency-Key")
    if sent is None or case.meta.generation.mode.is_negative:
        return
    key = re.sub(r"\\(.)", r"\1", sent[1:-1]) if sent.startswith('"') else sent
    if key in keys:
        case.headers["Idempotency-Key"] = key = f"key-{len(keys)}"
    keys.add(key)


def replace_invented_cursor(case):
    """Replaces an invented cursor that has the right format by one from a Link header."""
    invented = (case.query or {}).get("cursor")
    if not isinstance(invented, str) or not re.fullmatch(r"[\w-]{16}", invented):
        return
    if cursors:
        case.query["cursor"] = cursors[-1]
    else:
        del case.query["cursor"]


def replace_invented_id(case):
    """Replaces an invented id by that of a pet: of the oldest to delete it, else of the newest.

    This hides that the tool takes `If-Match: 0` for valid, which the schema refuses: it judges a changed request again.
    """
    is_linked = case.meta.phase.name == TestPhase.STATEFUL
    if "petId" in (case.path_parameters or {}) and ids and not is_linked and not case.meta.generation.mode.is_negative:
        case.path_parameters["petId"] = ids.pop(0) if case.method == "DELETE" and len(ids) > 1 else ids[-1]


@schemathesis.hook
def after_call(context, case, response):
    if response.status_code == 201:
        ids.append(response.json()["id"])
    cursors.extend(re.findall(r"cursor=([\w-]+)", ",".join(response.headers.get("link", []))))
