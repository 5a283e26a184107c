# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What has been found out, kept as it comes, so that a run can be gone on with."""

import hashlib
import json


def fingerprint(ld):
    """Of all that starts a program."""
    digest = hashlib.sha256()
    parts = [ld, ld.parent / "sartor-ld-plan", *sorted((ld.parents[1] / "lib/sartor/passes").glob("*.so"))]
    for part in parts:
        digest.update(part.read_bytes())
    return digest.hexdigest()


class Ledger:
    """Reports in a file, which is begun anew when it is about another loader or other ways, or if `is_fresh`."""

    def __init__(self, path, about, is_fresh):
        self.path = path
        self.reports = {}
        first = json.dumps(about)
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() and not is_fresh else []
        if lines and lines[0] == first:
            for line in lines[1:]:
                report = json.loads(line)
                # Programs with differences or errors are examined again.
                if report["word"] != "error" and all(way["word"] != "differs" for way in report["ways"].values()):
                    self.reports[report["kind"], report["name"]] = report
        path.parent.mkdir(parents=True, exist_ok=True)
        self._write([first, *(json.dumps(report) for report in self.reports.values())])

    def _write(self, lines):
        self.path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")

    def has(self, task):
        return task in self.reports

    def add(self, report):
        self.reports[report["kind"], report["name"]] = report
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(report) + "\n")
