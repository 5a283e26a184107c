#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# serve.sh ORDERS VIEW: run within cluster.sh. Makes the tables of data.sql, with so many orders, and pgbench's; with
# a provider, its view, of which VIEW is the SQL. Prints where the server listens, and waits for a line of input.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
psql -X -q -v ON_ERROR_STOP=1 -v orders="$1" -f "$here/data.sql" >/dev/null
pgbench -i -q -s 2 >pgbench.log 2>&1
[ "$PGSARTOR_PROVIDER" = stock ] || psql -X -q -v ON_ERROR_STOP=1 -f "$2"
psql -X -q -c CHECKPOINT
echo "$PGHOST"
read -r _ || true
