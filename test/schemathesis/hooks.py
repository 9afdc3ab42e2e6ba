"""Rules for clients that a schema cannot express."""

import re
from os import environ

import requests
import schemathesis
from schemathesis.generation.meta import TestPhase

keys = set()
cursors = []
# The path that adds what a parameter identifies, such as /pets for petId.
collections = {}
# The body of the document for each of these paths.
examples = {}
# The last body that each accepted from Schemathesis.
accepted = {}


@schemathesis.hook
def after_load_schema(context, schema):
    paths = schema.raw_schema["paths"]
    for path in paths:
        collection, _, parameter = path.rpartition("/{")
        body = paths.get(collection, {}).get("post", {}).get("requestBody")
        if body:
            collections[parameter[:-1]] = collection
            examples[collection] = body["content"]["application/json"]["example"]


@schemathesis.hook
def filter_body(context, body):
    """Drops bodies with a key __proto__ below the top level, which their schema cannot exclude."""
    unknown = body.values() if isinstance(body, dict) else []
    return not any(has_proto(value) for value in unknown)


@schemathesis.hook
def filter_case(context, case):
    """Drops requests with `If-Match: 0`, which the tool takes for valid, and the schema refuses."""
    return str((case.headers or {}).get("If-Match")) != "0"


def has_proto(value):
    if isinstance(value, list):
        return any(has_proto(part) for part in value)
    return isinstance(value, dict) and ("__proto__" in value or has_proto(list(value.values())))


@schemathesis.hook
def before_call(context, case, kwargs):
    replace_reused_key(case)
    replace_invented_cursor(case)
    drop_further_filters(case)
    replace_invented_ids(case)


def replace_reused_key(case):
    """Replaces an Idempotency-Key that was sent before, with another body."""
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


def drop_further_filters(case):
    """Drops all filters of a list but the first: OpenAPI cannot say that parameters exclude each other."""
    if case.meta.generation.mode.is_negative:
        return
    filters = [name for name in case.query or {} if name not in ("limit", "cursor")]
    for name in filters[1:]:
        del case.query[name]


def replace_invented_ids(case):
    """Replaces invented ids in the path and in the body by those of new resources."""
    if case.meta.phase.name == TestPhase.STATEFUL or case.meta.generation.mode.is_negative:
        return
    case.path_parameters = with_new_ids(case.path_parameters or {}, {**examples, **accepted})
    if isinstance(case.body, dict):
        case.body = with_new_ids(case.body, examples)


def with_new_ids(values, bodies):
    return {name: create(collections[name], bodies) if name in collections else value for name, value in values.items()}


def create(path, bodies):
    """Adds a resource, and returns its id. What its body names is like the examples, which can be used."""
    body = with_new_ids(bodies[path], examples)
    headers = {"Authorization": f"Bearer {environ['API_KEY']}"}
    response = requests.post(environ["BASE_URL"] + path, json=body, headers=headers, timeout=10)
    response.raise_for_status()
    return response.json()["id"]


@schemathesis.hook
def after_call(context, case, response):
    if response.status_code == 201:
        accepted[case.operation.path] = case.body
    cursors.extend(re.findall(r"cursor=([\w-]+)", ",".join(response.headers.get("link", []))))
