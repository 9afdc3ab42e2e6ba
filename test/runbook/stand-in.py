"""Stands in for AWS and for the commands that deploy.

The server's only argument is the path of its socket. Each connection brings the arguments and the
open files of a command, `command.py`. `aws` is the real AWS command, which parses and validates its
options and prints what `--query` finds; but instead of a request, the response comes from the file
that RUNBOOK names:

    permissions  the actions that IAM allows, such as `dynamodb:Restore*`
    refused      the number of a call, from 0, that is refused
    responses    what each call returns in turn, the last one from then on: the members of AWS's
                 response, or the text that another command prints
    made         what exists, such as `table pets`: it is not made again

Appended are to this file's neighbors, a line each: to `….calls` the action or command of each call,
and to `….made` what it has made.
"""

import fnmatch
import json
import os
import socket
import socketserver
import sys
import types

import awscli.clidriver
import botocore.waiter

SERVICES = ("apigateway", "cloudformation", "codedeploy", "dynamodb", "iam", "lambda", "sns")
# Actions that are not named after the operation.
ACTIONS = {"apigateway:UpdateAccount": "apigateway:PATCH"}
COMMANDS = ("gh", "npm", "npx")

PUT = "dynamodb:PutItem"
RESTORE = "dynamodb:RestoreTableToPointInTime"

# What an action makes, by the name of its table, and the error if that exists.
MAKES = {
    PUT: ("pet in", "ConditionalCheckFailedException"),
    "dynamodb:RestoreTableFromBackup": ("table", "TableAlreadyExistsException"),
    RESTORE: ("table", "TableAlreadyExistsException"),
    "dynamodb:UpdateTimeToLive": ("time to live of", "ValidationException"),
}


class Scenario:
    def __init__(self, path):
        with open(path) as file:
            self.state = json.load(file)
        self.path = path

    def answer(self, action, parameters):
        """Records a call. Returns the code of an error, or the response."""
        earlier = self.lines("calls")
        self.append("calls", action)
        if len(earlier) == self.state.get("refused") or not self.allows(action):
            return "AccessDenied", None
        table = parameters.get("TargetTableName", parameters.get("TableName"))
        if action == "dynamodb:DescribeTable":
            if not self.exists(f"table {table}"):
                return "ResourceNotFoundException", None
            # A restore takes longer than a block.
            status = "CREATING" if earlier[-1:] == [RESTORE] else "ACTIVE"
            arn = f"arn:aws:dynamodb:eu-central-1:123456789012:table/{table}"
            return None, {"Table": {"TableStatus": status, "TableArn": arn}}
        if action.startswith("dynamodb:Update") and not self.exists(f"table {table}"):
            return "ResourceNotFoundException", None
        if action in MAKES:
            kind, error = MAKES[action]
            is_replaced = action == PUT and "ConditionExpression" not in parameters
            if self.exists(f"{kind} {table}") and not is_replaced:
                return error, None
            self.append("made", f"{kind} {table}")
        if action == "dynamodb:DescribeTimeToLive":
            status = "ENABLED" if self.exists(f"time to live of {table}") else "DISABLED"
            return None, {"TimeToLiveDescription": {"TimeToLiveStatus": status}}
        responses = self.state["responses"].get(action)
        return None, responses[min(earlier.count(action), len(responses) - 1)] if responses else None

    def exists(self, thing):
        return thing in self.state["made"] + self.lines("made")

    def append(self, name, line):
        with open(f"{self.path}.{name}", "a") as file:
            file.write(line + "\n")

    def lines(self, name):
        with open(f"{self.path}.{name}") as file:
            return file.read().splitlines()

    def allows(self, action):
        permissions = [*self.state["permissions"], *COMMANDS]
        return any(fnmatch.fnmatchcase(action, each) for each in permissions)


def call_aws(driver, scenario, arguments):
    def respond(model, params, **_):
        service = model.service_model
        name = f"{service.signing_name}:{model.name}"
        parameters = json.loads(params["body"]) if service.signing_name == "dynamodb" else {}
        action = ACTIONS.get(name, name)
        error, response = scenario.answer(action, parameters)
        if error:
            message = f"You are not authorized to perform {action}" if error == "AccessDenied" else error
            return types.SimpleNamespace(status_code=400), {
                "Error": {"Code": error, "Message": message},
                "ResponseMetadata": {},
            }
        return types.SimpleNamespace(status_code=200), {**(response or {}), "ResponseMetadata": {}}

    driver.session.register("before-call", respond)
    return driver.main(arguments)


def call_other(scenario, name):
    error, response = scenario.answer(name, {})
    if error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    sys.stdout.write(response or "")
    return 0


class Command(socketserver.BaseRequestHandler):
    def handle(self):
        message, files, _, _ = socket.recv_fds(self.request, 1 << 20, 3)
        for number, file in enumerate(files):
            os.dup2(file, number)
        call = json.loads(message)
        scenario = Scenario(call["scenario"])
        if call["name"] == "aws":
            status = call_aws(self.server.driver, scenario, call["arguments"])
        else:
            status = call_other(scenario, call["name"])
        sys.stdout.flush()
        sys.stderr.flush()
        self.request.sendall(str(status).encode())


class Server(socketserver.ForkingMixIn, socketserver.UnixStreamServer):
    """A process for each command, which inherits what has been loaded."""


botocore.waiter.time = types.SimpleNamespace(sleep=lambda seconds: None)
driver = awscli.clidriver.create_clidriver()
for service in SERVICES:
    driver.session.create_client(service)
with Server(sys.argv[1], Command) as server:
    server.driver = driver
    server.serve_forever()
