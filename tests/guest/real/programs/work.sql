create table t(a integer primary key, b text, c integer);
with recursive n(i) as (select 1 union all select i+1 from n where i < 12000) insert into t select i, 'row ' || (i * 7919 % 10007), i * i % 1009 from n;
create index tb on t(b); create index tc on t(c);
select c, count(*), sum(a) from t group by c order by 2 desc, 1 limit 5;
select count(*) from t x join t y on x.c = y.a where y.b like 'row 1%';
select b, a from t order by b desc limit 5; update t set c = c + 1 where a % 3 = 0; select sum(c), avg(length(b)) from t;
