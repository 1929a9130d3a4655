"""What must end with a process."""

import signal
import subprocess
import sys

PROGRAM = """
import os, signal
from metassay.core import ending
for name in ("first", "second"):
    ending.at_the_end(lambda name=name: print(name, flush=True))
ending.end_with_children()
os.kill(os.getpid(), signal.SIGTERM)
"""


def test_tasks_are_done_in_order_before_a_signal_ends_the_process():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120)
    assert (done.stdout.split(), done.stderr, done.returncode) == (["first", "second"], "", -signal.SIGTERM)
