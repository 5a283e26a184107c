SELECT c_name, o_orderdate, o_totalprice FROM orders, customer
WHERE o_orderkey = ?1 AND c_custkey = o_custkey;
