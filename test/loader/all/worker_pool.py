# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Workers, and who gives them something to do."""

import json
import pathlib
import queue
import subprocess
import sys
import threading


class WorkerPool:
    """`prefix` is what starts a worker with namespaces of its own."""

    def __init__(self, prefix, arguments, size):
        self.command = [*prefix, sys.executable, str(pathlib.Path(__file__).parent / "worker.py"), *arguments]
        self.size = size

    def work(self, tasks, each):
        """Has all tasks done, and calls each(report) for each one, in no order."""
        waiting = queue.SimpleQueue()
        for task in tasks:
            waiting.put(task)
        reports = queue.SimpleQueue()
        members = [
            threading.Thread(target=self._member, args=(waiting, reports), daemon=True)
            for _ in range(min(self.size, len(tasks)))
        ]
        for member in members:
            member.start()
        for _ in tasks:
            each(reports.get())

    def _member(self, waiting, reports):
        worker = None
        while not waiting.empty():
            try:
                task = waiting.get_nowait()
            except queue.Empty:
                break
            worker = worker or subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            try:
                worker.stdin.write(json.dumps(task) + "\n")
                worker.stdin.flush()
                line = worker.stdout.readline()
            except BrokenPipeError:
                line = ""
            if not line:
                line = json.dumps(
                    {
                        "kind": task[0],
                        "name": task[1],
                        "word": "error",
                        "ways": {},
                        "varies": {},
                        "why": f"the worker has ended with {worker.wait()}",
                    }
                )
                worker = None
            reports.put(json.loads(line))
        if worker:
            worker.stdin.close()
            worker.wait()
