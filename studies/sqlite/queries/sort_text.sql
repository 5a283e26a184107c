SELECT o_clerk, o_orderdate, o_orderkey FROM orders ORDER BY o_clerk, o_orderdate, o_orderkey;
