/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_RUNTIME_HANDLERS_C_FILE_H
#define SARTOR_TEST_RUNTIME_HANDLERS_C_FILE_H

struct CFile {
  unsigned long offset;
  unsigned long shared;
};

/** Moves the offset; gives how many others use it. */
unsigned long read_c_file(struct CFile *file, unsigned long bytes);

#endif
