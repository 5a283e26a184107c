/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef STUDIES_SQLITE_DATA_H
#define STUDIES_SQLITE_DATA_H

#include <sqlite3.h>

/** Makes tables similar to those of TPC-H, with so many orders and four times as many lines,
 * deterministically. 150,000 orders are about 100 MB. */
void make_data(sqlite3 *db, int orders);

#endif
