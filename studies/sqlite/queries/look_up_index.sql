SELECT l_linenumber, l_quantity, l_extendedprice FROM lineitem WHERE l_orderkey = ?1;
