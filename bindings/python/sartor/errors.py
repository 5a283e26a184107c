# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Sartor raises."""

from __future__ import annotations


class Error(RuntimeError):
    """Something that Sartor cannot do; whatever raised it has changed nothing.

    `code` is the error's name, as in C++ (``"unknown_label"``, ``"bad_strategy"``, ...), `subject`
    the label, file or symbol concerned, `message` what is wrong with it, `remedy` what to do.
    """

    code: str
    subject: str
    message: str
    remedy: str

    def __init__(self, code: str, subject: str, message: str, remedy: str) -> None:
        super().__init__(code, subject, message, remedy)
        self.code = code
        self.subject = subject
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f'{self.code}: "{self.subject}": {self.message} ({self.remedy})'
