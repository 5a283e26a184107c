-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
create table numbers(n integer primary key, square integer, name text);
with recursive counted(n) as (select 1 union all select n + 1 from counted where n < 120000)
  insert into numbers select n, n * n, printf('number %06d', n * 7919 % 120000) from counted;
create index by_name on numbers(name);
select n % 10, count(*), sum(square), avg(square), max(upper(name)) from numbers group by 1 order by 2;
select count(*) from numbers a join numbers b on b.name = printf('number %06d', a.n);
select count(*) from numbers where name like '%77%' and length(replace(name, '7', '')) > 3;
update numbers set name = substr(name, 8) || name where n % 3 = 0;
