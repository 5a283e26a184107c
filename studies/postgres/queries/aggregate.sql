SELECT line, sum(quantity), sum(price), sum(price * (1 - discount)), sum(price * (1 - discount) * (1 + tax)), count(*)
FROM facts WHERE shipped <= date '1998-09-02' GROUP BY line ORDER BY line;
