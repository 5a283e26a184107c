# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs are asked to do, besides answering a question."""

from jobs_data import DATA
from jobs_documents import DOCUMENTS
from jobs_languages import LANGUAGES
from jobs_systems import SYSTEMS

JOBS = (*LANGUAGES, *DOCUMENTS, *DATA, *SYSTEMS)
