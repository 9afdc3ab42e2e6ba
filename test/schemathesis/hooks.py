"""What a client keeps to that a schema cannot say."""

import re

import schemathesis

bodies = {}
cursors = []


@schemathesis.hook
def filter_body(context, body):
    """A body has no key __proto__ at any depth, which its schema says of its own keys alone."""
    unknown = body.values() if isinstance(body, dict) else []
    return not any(has_proto(value) for value in unknown)


def has_proto(value):
    if isinstance(value, list):
        return any(has_proto(part) for part in value)
    return isinstance(value, dict) and ("__proto__" in value or has_proto(list(value.values())))


@schemathesis.hook
def before_call(context, case, kwargs):
    one_key_for_one_body(case)
    a_cursor_that_was_given(case)


def one_key_for_one_body(case):
    """An Idempotency-Key that was sent with another body before is replaced by a new one."""
    sent = (case.headers or {}).get("Idempotency-Key")
    if sent is None or case.meta.generation.mode.is_negative:
        return
    key = re.sub(r"\\(.)", r"\1", sent[1:-1]) if sent.startswith('"') else sent
    if bodies.setdefault(key, case.body) != case.body:
        case.headers["Idempotency-Key"] = new = f"key-{len(bodies)}"
        bodies[new] = case.body


def a_cursor_that_was_given(case):
    """A cursor that was made up, in the shape of a cursor, is replaced by one of a page."""
    made_up = (case.query or {}).get("cursor")
    if not isinstance(made_up, str) or not re.fullmatch(r"[\w-]{16}", made_up):
        return
    if cursors:
        case.query["cursor"] = cursors[-1]
    else:
        del case.query["cursor"]


@schemathesis.hook
def after_call(context, case, response):
    cursors.extend(re.findall(r"cursor=([\w-]+)", ",".join(response.headers.get("link", []))))
