SELECT count(*) FROM facts WHERE shipped < committed AND committed < received AND quantity > 24 AND line <> 3;
