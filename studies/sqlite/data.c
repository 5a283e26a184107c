/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "data.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A deterministic random number generator. */
static uint64_t state = 88172645463325252U;
static unsigned below(unsigned bound) {
  state ^= state << 13U;
  state ^= state >> 7U;
  state ^= state << 17U;
  return (unsigned)((state >> 20U) % bound);
}
static int between(int least, int most) { return least + (int)below((unsigned)(most - least + 1)); }

static sqlite3 *db;

static void must(int rc) {
  if (rc == SQLITE_OK || rc == SQLITE_DONE)
    return;
  fprintf(stderr, "data: %s\n", sqlite3_errmsg(db));
  exit(EXIT_FAILURE);
}

static void run(const char *sql) { must(sqlite3_exec(db, sql, NULL, NULL, NULL)); }

/* The row that is being filled. */
static sqlite3_stmt *row;
static int column;
static void begin(const char *sql) { must(sqlite3_prepare_v2(db, sql, -1, &row, NULL)); }
static void integer(int value) { must(sqlite3_bind_int(row, ++column, value)); }
static void number(double value) { must(sqlite3_bind_double(row, ++column, value)); }
static void text(const char *value) {
  must(sqlite3_bind_text(row, ++column, value, -1, SQLITE_TRANSIENT));
}
static void add(void) {
  must(sqlite3_step(row));
  must(sqlite3_reset(row));
  column = 0;
}
static void end(void) { must(sqlite3_finalize(row)); }

#define CHOOSE(words) ((words)[below(sizeof(words) / sizeof *(words))])
static const char *const regions[] = {"AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"};
static const char *const segments[] = {"AUTOMOBILE", "BUILDING", "FURNITURE", "MACHINERY",
                                       "HOUSEHOLD"};
static const char *const priorities[] = {"1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED",
                                         "5-LOW"};
static const char *const modes[] = {"REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"};
static const char *const instructions[] = {"DELIVER IN PERSON", "COLLECT COD", "NONE",
                                           "TAKE BACK RETURN"};
static const char *const kinds[] = {"STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO"};
static const char *const finishes[] = {"ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED"};
static const char *const metals[] = {"TIN", "NICKEL", "BRASS", "STEEL", "COPPER"};
static const char *const containers[] = {"SM CASE", "MED BOX", "LG PACK", "JUMBO JAR", "WRAP BAG"};
static const char *const words[] = {"furiously", "carefully", "quickly",  "blithely", "slyly",
                                    "ironic",    "final",     "pending",  "regular",  "express",
                                    "deposits",  "accounts",  "packages", "requests", "theodolites",
                                    "sleep",     "wake",      "haggle",   "nag",      "cajole"};

static void comment(int count) {
  char some[200] = "";
  for (int i = 0; i < count; ++i) {
    strcat(some, i ? " " : "");
    strcat(some, CHOOSE(words));
  }
  text(some);
}
static void name(const char *what, int key) {
  char some[40];
  snprintf(some, sizeof some, "%s#%09d", what, key);
  text(some);
}
static void phone(int nation) {
  char some[40];
  snprintf(some, sizeof some, "%d-%d-%d-%d", 10 + nation, between(100, 999), between(100, 999),
           between(1000, 9999));
  text(some);
}

/* A day of 1992 to 1998, counted from the first one; months have 28 days, which makes no
 * difference here. */
enum { days = 7 * 12 * 28 };
static void day(int n) {
  char some[40];
  snprintf(some, sizeof some, "%04d-%02d-%02d", 1992 + n / (12 * 28), 1 + n / 28 % 12, 1 + n % 28);
  text(some);
}

static void make_small(int suppliers, int customers, int parts) {
  begin("INSERT INTO region VALUES(?,?,?)");
  for (int i = 0; i < 5; ++i, add()) {
    integer(i);
    text(regions[i]);
    comment(8);
  }
  end();
  begin("INSERT INTO nation VALUES(?,?,?,?)");
  for (int i = 0; i < 25; ++i, add()) {
    integer(i);
    name("NATION", i);
    integer(i % 5);
    comment(8);
  }
  end();
  begin("INSERT INTO supplier VALUES(?,?,?,?,?,?,?)");
  for (int i = 1; i <= suppliers; ++i, add()) {
    const int nation = between(0, 24);
    integer(i);
    name("Supplier", i);
    comment(2);
    integer(nation);
    phone(nation);
    number(between(-99999, 999999) / 100.0);
    comment(6);
  }
  end();
  begin("INSERT INTO customer VALUES(?,?,?,?,?,?,?,?)");
  for (int i = 1; i <= customers; ++i, add()) {
    const int nation = between(0, 24);
    integer(i);
    name("Customer", i);
    comment(2);
    integer(nation);
    phone(nation);
    number(between(-99999, 999999) / 100.0);
    text(CHOOSE(segments));
    comment(8);
  }
  end();
  begin("INSERT INTO part VALUES(?,?,?,?,?,?,?,?,?)");
  for (int i = 1; i <= parts; ++i, add()) {
    char some[60];
    integer(i);
    comment(4);
    name("Manufacturer", between(1, 5));
    snprintf(some, sizeof some, "Brand#%d%d", between(1, 5), between(1, 5));
    text(some);
    snprintf(some, sizeof some, "%s %s %s", CHOOSE(kinds), CHOOSE(finishes), CHOOSE(metals));
    text(some);
    integer(between(1, 50));
    text(CHOOSE(containers));
    number(900 + i % 1000 / 10.0);
    comment(2);
  }
  end();
}

static void make_orders(int orders, int customers) {
  begin("INSERT INTO orders VALUES(?,?,?,?,?,?,?,?,?)");
  for (int i = 1; i <= orders; ++i, add()) {
    integer(i);
    integer(between(1, customers));
    text(below(2) ? "O" : "F");
    number(between(100000, 50000000) / 100.0);
    day(between(0, days - 150));
    text(CHOOSE(priorities));
    name("Clerk", between(1, 1000));
    integer(0);
    comment(5);
  }
  end();
}

static void make_lines(int orders, int suppliers, int parts) {
  begin("INSERT INTO lineitem VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  for (int i = 1; i <= orders; ++i)
    for (int line = 1, lines = between(1, 7); line <= lines; ++line, add()) {
      const int shipped = between(1, days - 40);
      const int quantity = between(1, 50);
      integer(i);
      integer(between(1, parts));
      integer(between(1, suppliers));
      integer(line);
      integer(quantity);
      number(quantity * between(90000, 110000) / 100.0);
      number(between(0, 10) / 100.0);
      number(between(0, 8) / 100.0);
      text(shipped > days / 2 ? "N" : (below(2) ? "R" : "A"));
      text(shipped > days / 2 + 40 ? "O" : "F");
      day(shipped);
      day(shipped < 30 ? 0 : shipped + between(-30, 30));
      day(shipped + between(1, 30));
      text(CHOOSE(instructions));
      text(CHOOSE(modes));
      comment(3);
    }
  end();
}

void make_data(sqlite3 *into, int orders) {
  const int suppliers = orders / 150 + 1;
  const int customers = orders / 10 + 1;
  const int parts = orders / 8 + 1;
  db = into;
  run("PRAGMA journal_mode=off; PRAGMA synchronous=off; BEGIN;"
      "CREATE TABLE region(r_regionkey INTEGER PRIMARY KEY, r_name TEXT, r_comment TEXT);"
      "CREATE TABLE nation(n_nationkey INTEGER PRIMARY KEY, n_name TEXT, n_regionkey INTEGER,"
      " n_comment TEXT);"
      "CREATE TABLE supplier(s_suppkey INTEGER PRIMARY KEY, s_name TEXT, s_address TEXT,"
      " s_nationkey INTEGER, s_phone TEXT, s_acctbal REAL, s_comment TEXT);"
      "CREATE TABLE customer(c_custkey INTEGER PRIMARY KEY, c_name TEXT, c_address TEXT,"
      " c_nationkey INTEGER, c_phone TEXT, c_acctbal REAL, c_mktsegment TEXT, c_comment TEXT);"
      "CREATE TABLE part(p_partkey INTEGER PRIMARY KEY, p_name TEXT, p_mfgr TEXT, p_brand TEXT,"
      " p_type TEXT, p_size INTEGER, p_container TEXT, p_retailprice REAL, p_comment TEXT);"
      "CREATE TABLE orders(o_orderkey INTEGER PRIMARY KEY, o_custkey INTEGER, o_orderstatus TEXT,"
      " o_totalprice REAL, o_orderdate TEXT, o_orderpriority TEXT, o_clerk TEXT,"
      " o_shippriority INTEGER, o_comment TEXT);"
      "CREATE TABLE lineitem(l_orderkey INTEGER, l_partkey INTEGER, l_suppkey INTEGER,"
      " l_linenumber INTEGER, l_quantity REAL, l_extendedprice REAL, l_discount REAL, l_tax REAL,"
      " l_returnflag TEXT, l_linestatus TEXT, l_shipdate TEXT, l_commitdate TEXT,"
      " l_receiptdate TEXT, l_shipinstruct TEXT, l_shipmode TEXT, l_comment TEXT);");
  make_small(suppliers, customers, parts);
  make_orders(orders, customers);
  make_lines(orders, suppliers, parts);
  run("CREATE INDEX orders_by_customer ON orders(o_custkey);"
      "CREATE INDEX lines_by_order ON lineitem(l_orderkey, l_linenumber);"
      "ANALYZE; COMMIT;");
}
