"""Rules for clients that a schema cannot express."""

import re
from os import environ

import requests
import schemathesis
from schemathesis.generation.meta import TestPhase

keys = set()
cursors = []
# The path that creates what a parameter identifies: `/toys` for `toyId`, because there is a path `/toys/{toyId}`, or the path of an
# action whose response is what `GET /toys/{toyId}` returns.
collections = {}
# The example of the document for creating a resource of a collection.
examples = {}
# The last body that a collection accepted from Schemathesis.
accepted = {}


@schemathesis.hook
def after_load_schema(context, schema):
    paths = schema.raw_schema["paths"]
    for collection, name in re.findall(r"^(.+)/{(\w+)}$", "\n".join(paths), re.MULTILINE):
        resource = schema_of(paths["%s/{%s}" % (collection, name)].get("get"), "200")
        actions = [path for path, methods in paths.items() if schema_of(methods.get("post"), "201") == resource]
        path = collection if "post" in paths.get(collection, {}) else actions[0]
        collections[name] = path
        examples[path] = paths[path]["post"]["requestBody"]["content"]["application/json"]["example"]


def schema_of(operation, status):
    """The schema of a response of an operation; equal to no other if there is no such response."""
    content = (operation or {}).get("responses", {}).get(status, {}).get("content", {})
    return content.get("application/json", {}).get("schema", object())


@schemathesis.hook
def filter_body(context, body):
    """Drops bodies with a key __proto__ below the top level, which their schema cannot exclude."""
    unknown = body.values() if isinstance(body, dict) else []
    return not any(has_proto(value) for value in unknown)


@schemathesis.hook
def filter_case(context, case):
    """Drops valid requests with several filters: the document can say only in words that a list has one at most."""
    is_negative = case.meta is not None and case.meta.generation.mode.is_negative
    return is_negative or case.method != "GET" or len(set(case.query or {}) - {"limit", "cursor"}) < 2


def has_proto(value):
    if isinstance(value, list):
        return any(has_proto(part) for part in value)
    return isinstance(value, dict) and ("__proto__" in value or has_proto(list(value.values())))


@schemathesis.hook
def before_call(context, case, kwargs):
    replace_reused_key(case)
    replace_invented_cursor(case)
    replace_invented_ids(case)


def replace_reused_key(case):
    """Replaces an Idempotency-Key that was sent before: its resource has another body, or may be deleted by now."""
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


def replace_invented_ids(case):
    """Replaces invented ids in the path and in the body by those of new resources.

    This hides that the tool takes `If-Match: 0` for valid, which the schema refuses: it judges a changed request again.
    """
    if case.meta.phase.name == TestPhase.STATEFUL or case.meta.generation.mode.is_negative:
        return
    case.path_parameters = with_new_ids(case.path_parameters or {}, {**examples, **accepted})
    if isinstance(case.body, dict):
        case.body = with_new_ids(case.body, examples)


def with_new_ids(values, bodies):
    return {name: create(collections[name], bodies) if name in collections else value for name, value in values.items()}


def create(collection, bodies):
    """Creates a resource, and returns its id. What its body refers to is like its example, to be available."""
    body = with_new_ids(bodies[collection], examples)
    headers = {"Authorization": f"Bearer {environ['API_KEY']}"}
    path = collection.format(**with_new_ids(dict.fromkeys(re.findall(r"{(\w+)}", collection)), examples))
    response = requests.post(environ["BASE_URL"] + path, json=body, headers=headers, timeout=10)
    response.raise_for_status()
    return response.json()["id"]


@schemathesis.hook
def after_call(context, case, response):
    if response.status_code == 201:
        accepted[case.operation.path] = case.body
    cursors.extend(re.findall(r"cursor=([\w-]+)", ",".join(response.headers.get("link", []))))
