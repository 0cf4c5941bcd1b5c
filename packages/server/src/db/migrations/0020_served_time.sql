-- Spans of time in which API processes served. A node cannot report while no process serves, so its
-- silence is measured over these spans only. A missing span makes a node count as present for
-- longer; no span may make it count for less.
create table served_spans (
  id       uuid        primary key, -- one API process, until it fails to reach the database
  began_at timestamptz not null,
  ended_at timestamptz not null     -- extended every few seconds while the process serves
);
create index served_spans_ended on served_spans (ended_at);
alter table served_spans enable row level security;
alter table served_spans force row level security;
create policy noting on served_spans to kr_gate using (true);
create policy measuring on served_spans for select to kr_read, kr_record, kr_worker using (true);
grant select, insert, update, delete on served_spans to kr_gate;
grant select on served_spans to kr_read, kr_record, kr_worker;

-- The latest time since which API processes have served for `wanted` in total; -infinity if the
-- recorded spans are shorter. Overlapping spans of several processes count once. A span that ends
-- in the future was written before the clock was set back, and is ignored.
create function served_since(wanted interval) returns timestamptz stable language sql
  return coalesce((
    select max(began_at + (served - wanted)) from (
      select lower(span) as began_at,
        sum(upper(span) - lower(span)) over (order by lower(span) desc) as served
      from unnest((select range_agg(tstzrange(began_at, ended_at)) from served_spans
                   where ended_at <= app_now())) as span
    ) as measured
    where served >= wanted), '-infinity');
