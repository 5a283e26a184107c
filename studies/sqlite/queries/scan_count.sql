SELECT count(*), min(l_extendedprice), max(l_extendedprice) FROM lineitem
WHERE l_partkey % 3 = 1 AND l_suppkey & 1 AND l_linenumber + l_quantity > 10;
