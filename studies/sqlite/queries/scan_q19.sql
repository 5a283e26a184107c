SELECT sum(l_extendedprice * (1 - l_discount)) FROM lineitem, part
WHERE p_partkey = l_partkey AND l_shipmode IN ('AIR', 'REG AIR')
  AND l_shipinstruct = 'DELIVER IN PERSON' AND p_size BETWEEN 1 AND 15
  AND ((p_container = 'SM CASE' AND l_quantity BETWEEN 1 AND 11)
    OR (p_container = 'MED BOX' AND l_quantity BETWEEN 10 AND 20)
    OR (p_container = 'LG PACK' AND l_quantity BETWEEN 20 AND 30));
