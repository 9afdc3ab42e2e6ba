"""A command of a procedure, whose path is in COMMAND: hands itself to `stand-in.py`."""

import json
import os
import socket
import sys

call = {
    "name": os.path.basename(os.environ["COMMAND"]),
    "arguments": sys.argv[1:],
    "scenario": os.environ["RUNBOOK"],
}
with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(os.path.join(os.path.dirname(os.environ["COMMAND"]), "socket"))
    socket.send_fds(connection, [json.dumps(call).encode()], [0, 1, 2])
    sys.exit(int(connection.recv(16) or 1))
