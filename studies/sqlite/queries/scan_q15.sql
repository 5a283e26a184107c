SELECT l_suppkey, sum(l_extendedprice * (1 - l_discount)) FROM lineitem
WHERE l_shipdate >= '1996-01-01' AND l_shipdate < '1996-04-01'
GROUP BY l_suppkey ORDER BY 2 DESC LIMIT 1;
