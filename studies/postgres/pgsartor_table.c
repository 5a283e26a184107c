/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** The table of shapes: a file in the data directory that all backends map. Rows are never
 * removed. Counters of several backends may lose an update. A file of another layout is neither
 * read nor changed. */
#include "pgsartor.h"

#include <fcntl.h>
#include <sys/file.h>
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

/** The beginning of the file. */
typedef struct {
  char magic[8];
  uint32 version; /**< Grows with each change of this structure, PgsartorRow or ROWS. */
  uint32 row_bytes;
} Layout;

typedef struct {
  Layout layout;
  PgsartorRow rows[ROWS];
} Table;

static const Layout own_layout = {"sartor", 1, sizeof(PgsartorRow)};
static bool has_other_layout;

/* False if the file has another layout, or cannot be read. An empty file gets this layout. The file
 * stays locked; a server that crashes in between leaves an empty file, or a layout without rows. */
static bool has_own_layout(int file) {
  int failed;
  do
    failed = flock(file, LOCK_EX);
  while (failed && errno == EINTR);
  struct stat status;
  if (failed || fstat(file, &status))
    return false;
  if (status.st_size == 0) {
    if (pwrite(file, &own_layout, sizeof own_layout, 0) == (ssize_t)sizeof own_layout)
      return true;
    (void)!ftruncate(file, 0); /* the disk is full: the next backend tries again */
    return false;
  }
  Layout found = {{0}, 0, 0};
  if (pread(file, &found, sizeof found, 0) < 0)
    return false;
  has_other_layout = memcmp(&found, &own_layout, sizeof found) != 0;
  return !has_other_layout;
}

/* A mapping would keep the lock after close(). */
static void unlock_and_close(int file) {
  flock(file, LOCK_UN);
  close(file);
}

static PgsartorRow *map_rows(void) {
  char path[MAXPGPATH];
  snprintf(path, sizeof path, "%s/sartor_jit.rows", DataDir);
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0)
    return NULL;
  if (!has_own_layout(file)) {
    unlock_and_close(file);
    return NULL;
  }
  /* Without holes: a write to one ends the server with a signal when the disk is full. */
  int failed;
  do
    failed = posix_fallocate(file, 0, (off_t)sizeof(Table));
  while (failed == EINTR);
  void *mapped =
      failed ? MAP_FAILED : mmap(NULL, sizeof(Table), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  unlock_and_close(file);
  return mapped == MAP_FAILED ? NULL : ((Table *)mapped)->rows;
}

static void report_other_layout(int level) {
  ereport(
      level, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
      errmsg("table \"sartor_jit.rows\" has another layout than version %u", own_layout.version),
      errdetail("It is neither read nor changed. Each session measures for itself."),
      errhint("Rename the file in the data directory: new sessions begin another. Or install "
              "the provider that wrote it."));
}

static PgsartorRow *all_rows(void) {
  static PgsartorRow *rows;
  static bool is_mapped;
  if (is_mapped)
    return rows;
  is_mapped = true;
  rows = map_rows();
  if (has_other_layout)
    report_other_layout(LOG);
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
  if (has_other_layout)
    report_other_layout(ERROR);
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
