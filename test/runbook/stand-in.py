"""Stands in for AWS and for the commands that deploy.

The server's only argument is the path of its socket. Each connection brings the arguments and the
open files of a command, `command.py`. `aws` is the real AWS command, which parses and validates its
options and prints what `--query` finds; but instead of a request, the response comes from the file
that RUNBOOK names:

    permissions  the actions that IAM allows, such as `dynamodb:Restore*`
    refusals     an error code, by action or by the name of another command
    responses    what each call returns in turn, the last one from then on: the members of AWS's
                 response, or the text that another command prints

What was called is appended to this file's neighbor, `….calls`: one action or command a line.
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


class Scenario:
    def __init__(self, path):
        with open(path) as file:
            self.state = json.load(file)
        self.calls = path + ".calls"

    def answer(self, action):
        """Records a call. Returns the code of an error, or the response."""
        with open(self.calls, "a+") as file:
            file.seek(0)
            before = file.read().splitlines().count(action)
            file.write(action + "\n")
        if action in self.state["refusals"]:
            return self.state["refusals"][action], None
        responses = self.state["responses"].get(action)
        return None, responses[min(before, len(responses) - 1)] if responses else None

    def allows(self, action):
        return any(fnmatch.fnmatchcase(action, each) for each in self.state["permissions"])


def call_aws(driver, scenario, arguments):
    def respond(model, **_):
        service = model.service_model
        name = f"{service.signing_name}:{model.name}"
        action = ACTIONS.get(name, name)
        error, response = scenario.answer(action)
        if error is None and not scenario.allows(action):
            error = "AccessDenied"
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
    error, response = scenario.answer(name)
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
    driver.session.get_service_model(service)
with Server(sys.argv[1], Command) as server:
    server.driver = driver
    server.serve_forever()
