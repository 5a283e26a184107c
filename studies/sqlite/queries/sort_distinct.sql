SELECT l_shipmode, l_shipdate, count(*) FROM lineitem GROUP BY l_shipmode, l_shipdate;
