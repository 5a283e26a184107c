-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Tables of the kind of TPC-H, with its types; the variable `orders` is 1,500,000 for a gigabyte.
SELECT setseed(0.5);
CREATE TABLE nation AS SELECT g AS n_nationkey, 'nation ' || g AS n_name, g % 5 AS n_regionkey FROM generate_series(0, 24) g;
CREATE TABLE customer AS
  SELECT g AS c_custkey, (g * 7 % 25)::int AS c_nationkey, (random() * 10000)::numeric(15, 2) AS c_acctbal,
         (ARRAY['BUILDING', 'AUTOMOBILE', 'MACHINERY', 'HOUSEHOLD', 'FURNITURE'])[1 + g % 5]::char(10) AS c_mktsegment
  FROM generate_series(1, :orders / 10) g;
CREATE TABLE part AS
  SELECT g AS p_partkey, (ARRAY['PROMO', 'STANDARD', 'SMALL', 'LARGE'])[1 + g % 4] || ' TIN' AS p_type, (1 + g % 50)::int AS p_size,
         ('Brand#' || 11 + g % 45)::char(10) AS p_brand, (ARRAY['SM CASE', 'MED BAG', 'LG BOX', 'JUMBO JAR'])[1 + g % 4]::char(10) AS p_container
  FROM generate_series(1, :orders / 8) g;
CREATE TABLE orders AS
  SELECT g AS o_orderkey, (1 + random() * (:orders / 10 - 1))::int AS o_custkey, (random() * 100000)::numeric(15, 2) AS o_totalprice,
         date '1992-01-01' + (random() * 2400)::int AS o_orderdate, (1 + g % 5) || '-PRIORITY' AS o_orderpriority, (g % 2)::int AS o_shippriority
  FROM generate_series(1, :orders) g;
CREATE TABLE lineitem AS
  SELECT o_orderkey AS l_orderkey, (1 + random() * (:orders / 8 - 1))::int AS l_partkey, n AS l_linenumber,
         (1 + (random() * 49)::int)::numeric(15, 2) AS l_quantity, (900 + random() * 100000)::numeric(15, 2) AS l_extendedprice,
         ((random() * 10)::int / 100.0)::numeric(15, 2) AS l_discount, ((random() * 8)::int / 100.0)::numeric(15, 2) AS l_tax,
         (ARRAY['R', 'A', 'N'])[1 + (random() * 2)::int]::char(1) AS l_returnflag, (ARRAY['O', 'F'])[1 + (random())::int]::char(1) AS l_linestatus,
         o_orderdate + 1 + (random() * 120)::int AS l_shipdate, o_orderdate + 30 + (random() * 60)::int AS l_commitdate,
         o_orderdate + 10 + (random() * 130)::int AS l_receiptdate,
         (ARRAY['DELIVER IN PERSON', 'NONE', 'TAKE BACK RETURN'])[1 + (random() * 2)::int]::char(25) AS l_shipinstruct,
         (ARRAY['AIR', 'MAIL', 'SHIP', 'TRUCK', 'RAIL'])[1 + (random() * 4)::int]::char(10) AS l_shipmode
  FROM orders, generate_series(1, 4) n;
-- The same columns as binary numbers, for queries that are not about numeric.
CREATE TABLE facts AS
  SELECT l_orderkey AS id, l_partkey AS part, l_linenumber AS line, l_quantity::int AS quantity, l_extendedprice::float8 AS price,
         l_discount::float8 AS discount, l_tax::float8 AS tax, l_shipdate AS shipped, l_commitdate AS committed, l_receiptdate AS received
  FROM lineitem;
ALTER TABLE orders ADD PRIMARY KEY (o_orderkey);
ALTER TABLE customer ADD PRIMARY KEY (c_custkey);
ALTER TABLE part ADD PRIMARY KEY (p_partkey);
VACUUM ANALYZE;
