SELECT o_custkey, o_totalprice, o_orderdate, o_comment FROM orders WHERE o_orderkey = ?1;
