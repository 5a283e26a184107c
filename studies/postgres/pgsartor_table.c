/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** The table of shapes: a file in the data directory that all backends map. Rows are never
 * removed. Counters of several backends may lose an update. */
#include "pgsartor.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

enum { ROWS = 4096 };

static PgsartorRow *map_rows(void) {
  char path[MAXPGPATH];
  const size_t size = ROWS * sizeof(PgsartorRow);
  snprintf(path, sizeof path, "%s/sartor_jit.rows", DataDir);
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0)
    return NULL;
  /* Without holes: a write to one ends the server with a signal when the disk is full. */
  int failed;
  do
    failed = posix_fallocate(file, 0, (off_t)size);
  while (failed == EINTR);
  void *mapped =
      failed ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return mapped == MAP_FAILED ? NULL : mapped;
}

static PgsartorRow *all_rows(void) {
  static PgsartorRow *rows;
  static bool is_mapped;
  if (!is_mapped)
    rows = map_rows();
  is_mapped = true;
  return rows;
}

PgsartorRow *pgsartor_row(uint64 key) {
  PgsartorRow *rows = all_rows();
  for (int i = 0; rows && i < ROWS; ++i) {
    PgsartorRow *row = &rows[(key + (uint64)i) % ROWS];
    uint64 found = 0;
    if (__atomic_compare_exchange_n(&row->key, &found, key, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE) ||
        found == key)
      return row;
  }
  return NULL;
}

PG_FUNCTION_INFO_V1(sartor_jit_shapes);
Datum sartor_jit_shapes(PG_FUNCTION_ARGS) {
  static const char *const names[] = {"counted", "requested", "measured", "active", "excluded"};
  ReturnSetInfo *result = (ReturnSetInfo *)fcinfo->resultinfo;
  const PgsartorRow *rows = all_rows();
  InitMaterializedSRF(fcinfo, 0);
  for (int i = 0; rows && i < ROWS; ++i) {
    const PgsartorRow *row = &rows[i];
    if (!row->key)
      continue;
    const bool is_measured = row->gain > 0;
    char key[20];
    snprintf(key, sizeof key, "%016llx", (unsigned long long)row->key);
    const Datum values[] = {
        CStringGetTextDatum(key),         CStringGetTextDatum(names[row->status % lengthof(names)]),
        Int32GetDatum(row->steps),        Int64GetDatum((int64)row->evaluations),
        Float8GetDatum(row->gain),        Float8GetDatum(row->low),
        Float8GetDatum(row->high),        Float8GetDatum(row->saved),
        Int64GetDatum((int64)row->pairs), CStringGetTextDatum(row->why)};
    const bool nulls[] = {false,        false,        false,        false, !is_measured,
                          !is_measured, !is_measured, !is_measured, false, !row->why[0]};
    tuplestore_putvalues(result->setResult, result->setDesc, (Datum *)values, (bool *)nulls);
  }
  return (Datum)0;
}
