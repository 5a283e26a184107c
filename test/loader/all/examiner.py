# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looks at one program, or one job, in all ways."""

import os
import pathlib
import shutil
import time

from job import Job
from likeness import Likeness, describe
from trial import Ended, Trial
from ways import STOCK, WATCHED_STOCK

QUESTIONS = ("--version", "--help", "-h")
SECONDS_TO_ANSWER = 20
MOST_TRIALS = 4  # by the stock loader, before something is reported as a difference
# Differences that follow from `--in-place` itself.
OWN = {"in place": ("at the start: file",)}


class Examiner:
    def __init__(self, setting, ways):
        self.setting = setting
        self.ways = ways

    def examine(self, job):
        """What there is to say of a job in each way."""
        begun = time.monotonic()
        report = {"name": job.name, "ways": {}, "varies": {}}
        try:
            known = {
                watched: self._likeness(job, STOCK if not watched else WATCHED_STOCK)
                for watched in {way.is_watched for way in self.ways}
            }
        except (Ended, OSError) as reason:
            return report | {"word": "not comparable", "why": str(reason)}
        for likeness in known.values():
            report["varies"] |= likeness.varies()
        for way in self.ways:
            report["ways"][way.name] = self._try(job, way, known[way.is_watched])
        shutil.rmtree(self.setting.work / "cache", ignore_errors=True)
        return report | {"word": "tried", "seconds": round(time.monotonic() - begun, 1)}

    def question(self, path):
        """The job that is to answer a question that the program understands; says why, if there is none."""
        last = None
        for question in QUESTIONS:
            job = Job(path, ([path, question],), seconds=SECONDS_TO_ANSWER, is_question=True)
            try:
                facts = self._trial(job, STOCK).facts
            except (Ended, OSError) as reason:
                last = last or reason
                continue
            if facts["status"] == "0":
                return job
            last = job
        if isinstance(last, Job):
            return last
        raise last

    def _trial(self, job, way):
        try:
            return Trial(job, way, self.setting).run()
        finally:
            if not way.may_give_up:
                self.setting.end_all()

    def _likeness(self, job, way):
        likeness = Likeness(self._trial(job, way).facts)
        likeness.add(self._trial(job, way).facts)
        return likeness

    def _try(self, job, way, likeness):
        # A plan that is made in the background is not there at the first start.
        for _ in range(2 if way.may_give_up else 1):
            try:
                trial = self._trial(job, way)
            except (Ended, OSError) as reason:
                return {"word": "differs", "why": str(reason)}
            finally:
                self._wait_for_planner()
                self.setting.end_all()
            if trial.is_refused:
                return {"word": "aside", "why": "; ".join(trial.aside)}
            differences = self._differences(job, way, trial, likeness)
            if differences:
                return {"word": "differs", "why": "; ".join(describe(difference) for difference in differences[:4])}
        if trial.aside:
            return {"word": "aside", "why": "; ".join(dict.fromkeys(trial.aside))}
        return {"word": "same"}

    def _differences(self, job, way, trial, likeness):
        """Once it differs, the stock loader is asked some more whether it never does the same."""
        without = OWN.get(way.name, ())
        while True:
            differences = likeness.differences(trial.facts, without)
            if not differences or len(likeness.seen) >= MOST_TRIALS:
                return differences
            likeness.add(self._trial(job, WATCHED_STOCK if way.is_watched else STOCK).facts)

    def _wait_for_planner(self, seconds=300):
        mark = os.fsencode(self.setting.work)
        end = time.monotonic() + seconds
        while time.monotonic() < end and any(
            b"sartor-ld-plan" in line and mark in line for line in self._command_lines()
        ):
            time.sleep(0.02)

    @staticmethod
    def _command_lines():
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                yield path.read_bytes()
            except OSError:
                pass
