/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_RUNTIME_HANDLERS_C_FILE_H
#define SARTOR_TEST_RUNTIME_HANDLERS_C_FILE_H

struct CFile {
  unsigned long offset;
  unsigned long shared;
};

/** Advances the offset; returns the number of other users of the file. */
unsigned long read_c_file(struct CFile *file, unsigned long bytes);

#endif
