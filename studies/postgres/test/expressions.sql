-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Expressions of many kinds. The output must not depend on how they are evaluated.
SET jit_above_cost = 0;
SET extra_float_digits = 3;
CREATE TABLE t AS
  SELECT g AS id, nullif(g % 7, 3) AS small, (g * 37 % 1001 - 500)::int2 AS two, (g::int8 << 33) AS big, g / 7.0::float8 AS f8,
         (g / 3.0)::float4 AS f4, (g * 1.01)::numeric(12, 2) AS num, date '2020-01-01' + g % 900 AS day,
         timestamp '2021-03-04 05:06:07' + g * interval '1 hour' AS at, CASE WHEN g % 5 = 0 THEN NULL ELSE 'text ' || g END AS txt,
         chr(65 + g % 26)::"char" AS letter, g % 2 = 0 AS even, ARRAY[g, g + 1, NULL] AS list, ('x' || g)::name AS nam
  FROM generate_series(1, 2000) g;
INSERT INTO t (id) VALUES (-1), (-2);
INSERT INTO t (id, f8) VALUES (-3, 'NaN'), (-4, 'Infinity'), (-5, '-0');
ALTER TABLE t ADD COLUMN late int DEFAULT 42, ADD COLUMN later text;
INSERT INTO t (id, late, later) VALUES (-6, 7, 'new');
ALTER TABLE t DROP COLUMN letter;

-- Comparisons, arithmetic, NULLs, AND, OR, NOT
SELECT count(*), sum(id), min(late), max(later) FROM t WHERE small < 4 AND two > -100 AND big > id;
SELECT count(*) FROM t WHERE small IS NULL OR two <> 3 AND NOT even;
SELECT count(*) FROM t WHERE (small = 1) IS NOT TRUE;
SELECT count(*), sum(f8), avg(f4), sum(num), avg(num), stddev(f8) FROM t WHERE id > 0;
SELECT id, f8 < 1, f8 = f8, f8 > 'Infinity', f8 * 2, f8 + 1, f8 - f8 FROM t WHERE id < 4 ORDER BY id;
SELECT small, count(*), count(txt), sum(two), sum(big), max(day), min(at), bool_and(even), string_agg(txt, ',' ORDER BY id) FILTER (WHERE id < 30)
  FROM t GROUP BY small ORDER BY small;
SELECT sum(id + two), sum(id::int8 * two), sum(id - two * 3), sum(big + id) FROM t;
SELECT day, at, day < at, day = date '2020-01-10', at > '2021-03-05', at - interval '1 day' FROM t WHERE id BETWEEN 5 AND 12 ORDER BY 1, 2;
SELECT count(DISTINCT small), count(DISTINCT txt) FROM t;
SELECT id, coalesce(small, two, 0), nullif(small, 1), greatest(small, 3, two), least(NULL, two), small IS DISTINCT FROM 3 FROM t WHERE id < 12 ORDER BY id;
SELECT id, CASE small WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE txt END, txt LIKE '%1%', upper(txt), length(txt), txt || nam FROM t WHERE id < 15 ORDER BY id;
SELECT id, list[1], list[2:3], list[3], 5 = ANY (list), 5 <> ALL (list), ARRAY[small, two], array_length(list, 1) FROM t WHERE id < 9 ORDER BY id;
SELECT id FROM t WHERE id IN (1, 5, 9, 13, 17, 21, 25, 29, 33, 37, 41) OR id NOT IN (SELECT small FROM t WHERE small IS NOT NULL) AND id < 40 ORDER BY id;
SELECT ROW(id, small, txt), ROW(id, small) < ROW(two, 2), (t).late, t.*::text FROM t WHERE id IN (3, 10, -6, -3) ORDER BY id;
SELECT id, late, later FROM t WHERE late <> 42 OR later IS NOT NULL OR id < 3 ORDER BY id;
SELECT (xmin IS NOT NULL), tableoid::regclass, ctid FROM t ORDER BY ctid LIMIT 3;
SELECT id, rank() OVER (PARTITION BY small ORDER BY two), lag(two) OVER (ORDER BY id), sum(id) OVER (ORDER BY id ROWS 3 PRECEDING) FROM t WHERE id < 20 ORDER BY id;
SELECT small, even, grouping(small, even), count(*) FROM t GROUP BY GROUPING SETS ((small), (even), ()) ORDER BY 1, 2, 3;
SELECT a.id, b.id, c.txt FROM t a JOIN t b ON a.id = b.two LEFT JOIN t c ON c.id = b.small AND c.even WHERE a.id < 100 ORDER BY 1, 2, 3;
SELECT id, (SELECT max(two) FROM t i WHERE i.small = o.small) FROM t o WHERE id < 9 ORDER BY id;
SELECT current_user, current_setting('jit_above_cost'), xmlelement(name a, id), '{"a": [1, 2]}'::jsonb -> 'a' -> 1, to_char(at, 'YYYY') FROM t WHERE id = 7;

-- Domains, composite types, enumerations, extension types
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
SELECT id::positive FROM t WHERE id BETWEEN 1 AND 3 ORDER BY 1;
SELECT id::positive FROM t WHERE id = -2;
CREATE TYPE pair AS (a int, b text);
SELECT (ROW(id, txt)::pair).b, ROW(id, txt)::pair IS NULL, ROW(NULL, NULL)::pair IS NULL FROM t WHERE id < 5 ORDER BY id;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
SELECT m, m > 'sad' FROM (SELECT (ARRAY['sad', 'ok', 'happy'])[1 + id % 3]::mood AS m FROM t WHERE id > 1995 AND id < 2000) x ORDER BY m;
CREATE EXTENSION citext;
CREATE EXTENSION cube;
CREATE EXTENSION hstore;
SELECT txt::citext = 'TEXT 7', cube(f8, f8 + 1) @> cube(1.2), hstore('k', txt) -> 'k' FROM t WHERE id < 9 ORDER BY id;

-- Toasted and compressed values
CREATE TABLE wide (id int, a text, b text, c bytea, d int);
ALTER TABLE wide ALTER COLUMN b SET STORAGE EXTERNAL;
INSERT INTO wide SELECT g, repeat('abc' || g, 2000), repeat('x' || g, 3000), decode(repeat('00ff', 2000 + g), 'hex'), g FROM generate_series(1, 20) g;
INSERT INTO wide VALUES (21, NULL, '', NULL, 21), (22, 'short', NULL, '\x01', NULL);
SELECT id, length(a), md5(b), md5(c), d, a < b, substr(b, 100, 5), a || b = b || a FROM wide ORDER BY id;
SELECT sum(d), max(a) = max(b), count(c) FROM wide WHERE length(a) > 100 AND d < 15;

-- Errors thrown from within variants
SELECT sum(1 / (id - 7)) FROM t;
SELECT 2147483647 + id FROM t WHERE id = 1;
SELECT id * 2000000 FROM t WHERE id > 1990 ORDER BY id;
SELECT big * big FROM t WHERE id = 1999;
SELECT f8 * 1e308 * id FROM t WHERE id = 1999;
SELECT (txt || 'a')::int FROM t WHERE id = 1;
BEGIN;
SAVEPOINT one;
SELECT count(*) FROM t WHERE 10 / (id - 3) > 0;
ROLLBACK TO one;
SELECT count(*) FROM t WHERE 10 / (id + 30) > 0;
COMMIT;
CREATE FUNCTION caught(i int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  RETURN 10 / (i % 3);
EXCEPTION WHEN division_by_zero THEN
  RETURN -1;
END $$;
SELECT sum(caught(id)) FROM t WHERE id < 300;

-- Functions that change, under prepared statements with generic plans
CREATE FUNCTION twice(i int) RETURNS int LANGUAGE plpgsql IMMUTABLE STRICT AS 'BEGIN RETURN i * 2; END';
SET plan_cache_mode = force_generic_plan;
PREPARE q(int) AS SELECT count(*), sum(twice(id)), sum(two) FROM t WHERE id < $1 AND two > -1000;
EXECUTE q(50);
EXECUTE q(NULL);
CREATE OR REPLACE FUNCTION twice(i int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN i * 3; END';
EXECUTE q(50);
DROP FUNCTION twice(int);
EXECUTE q(50);
CREATE FUNCTION twice(i int) RETURNS int LANGUAGE internal IMMUTABLE STRICT AS 'int4abs';
EXECUTE q(50);
ALTER TABLE t ALTER COLUMN two TYPE int8 USING two * 10;
EXECUTE q(50);
ALTER TABLE t ADD COLUMN between_them int DEFAULT 9;
ALTER TABLE t DROP COLUMN small;
EXECUTE q(50);
ALTER TABLE t ALTER COLUMN two TYPE text;
EXECUTE q(50);
ALTER TABLE t ALTER COLUMN two TYPE float8 USING two::float8;
EXECUTE q(50);
CREATE FUNCTION same(int, int) RETURNS bool LANGUAGE internal IMMUTABLE AS 'int4eq';
SELECT count(*) FROM t WHERE same(id, late);
SELECT same(NULL, id), same(id, NULL) FROM t WHERE id = -1;
CREATE FUNCTION own(int, int) RETURNS bool LANGUAGE sql AS 'SELECT $1 > $2';
CREATE OPERATOR >>>> (FUNCTION = own, LEFTARG = int, RIGHTARG = int);
SELECT count(*) FROM t WHERE id >>>> late;
CREATE OR REPLACE FUNCTION own(int, int) RETURNS bool LANGUAGE sql AS 'SELECT $1 < $2';
SELECT count(*) FROM t WHERE id >>>> late;
RESET plan_cache_mode;

-- Cancellation within an expression. The error ends the limit, so no other statement has it.
BEGIN;
SET LOCAL statement_timeout = '100ms';
SELECT count(*) FROM t WHERE id > 0 AND pg_sleep(0.001 * id) IS NOT NULL;
ROLLBACK;
BEGIN;
SET LOCAL statement_timeout = '100ms';
SELECT count(*) FROM t a, t b, t c, t d WHERE a.id + b.id + c.id > d.id;
ROLLBACK;
SELECT count(*) FROM t WHERE id > 0 AND late = 42;

-- Cursors, triggers, constraints, updates, merge
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT id, id * 2 FROM t WHERE even ORDER BY id;
FETCH 2 FROM c;
MOVE 10 IN c;
FETCH BACKWARD 2 FROM c;
COMMIT;
CREATE TABLE checked (a int CHECK (a > 0), b int GENERATED ALWAYS AS (a * 2) STORED, c text DEFAULT 'none' NOT NULL);
INSERT INTO checked (a) SELECT id FROM t WHERE id BETWEEN 1 AND 50;
INSERT INTO checked (a) VALUES (0);
INSERT INTO checked (a, c) VALUES (1, NULL);
UPDATE checked SET a = a + 1, c = a || c WHERE a % 5 = 0 RETURNING *;
MERGE INTO checked USING t ON checked.a = t.id WHEN MATCHED AND t.id < 5 THEN UPDATE SET c = 'merged' WHEN MATCHED AND a > 40 THEN DELETE;
SELECT count(*), sum(a), sum(b), min(c), max(c) FROM checked;
CREATE INDEX ON checked ((a + b)) WHERE c <> 'none';
SELECT count(*) FROM checked WHERE a + b > 20 AND c <> 'none';

-- Parallel workers
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT count(*), sum(id), sum(f8) > 0, avg(num), max(txt) FROM t WHERE id % 3 = 1 AND late = 42;
\set SHOW_CONTEXT never
SELECT count(*) FROM t WHERE 1 / (id - 5) = 2; -- the leader or a worker, which its context would say
SELECT late, count(*), sum(num), sum(big) FROM t GROUP BY late ORDER BY late;
