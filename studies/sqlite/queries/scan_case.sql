SELECT sum(CASE WHEN l_quantity < 10 THEN l_extendedprice WHEN l_quantity < 30 THEN l_tax ELSE 0 END),
  sum(CASE l_linenumber WHEN 1 THEN l_discount WHEN 2 THEN l_tax ELSE 1 END), max(l_partkey - l_suppkey)
FROM lineitem;
