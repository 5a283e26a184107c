# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A key and signatures for the pass `verify`, made as they are needed."""

import shutil
import subprocess


class Signing:
    """`sartor` is the command that signs; the rest goes to a new directory in `work`."""

    def __init__(self, sartor, work):
        self.sartor = sartor
        self.directory = work / "signing"
        self.settings = self.directory / "ld.toml"
        self.signed = set()
        keys = self.directory / "keys"
        keys.mkdir(parents=True)
        (self.directory / "signatures").mkdir()
        self._sartor("key", "--output", self.directory / "release")
        shutil.copy(self.directory / "release.pub", keys)
        self.settings.write_text(f'[pass.verify]\nkeys = "{keys}"\n'
                                 f'signatures = "{self.directory / "signatures"}"\n', encoding="utf-8")

    def sign(self, program, path):
        """Signs a program, which is looked up in `path`, and what it starts with."""
        found = shutil.which(program, path=path)
        if found and found not in self.signed:
            self._sartor("ld", "sign", "--key", self.directory / "release.key", "--signatures",
                         self.directory / "signatures", "--with-libraries", found)
            self.signed.add(found)

    def _sartor(self, *words):
        subprocess.run([str(word) for word in (self.sartor, *words)], check=True,
                       stdout=subprocess.DEVNULL)
