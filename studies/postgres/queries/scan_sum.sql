SELECT sum(price * discount), count(*) FROM facts WHERE shipped >= date '1994-01-01' AND shipped < date '1995-01-01' AND discount > 0.04 AND quantity < 24;
