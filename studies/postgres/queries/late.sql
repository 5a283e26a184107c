SELECT count(*), min(id), max(part) FROM facts WHERE received > committed + 20 AND received < date '1997-01-01';
