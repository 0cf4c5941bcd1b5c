-- The budget of a minute that a clock set back has yet to come to again is no budget of now: it
-- would be all that there is until then. Whoever waits for the row waits for seconds, so that it is
-- at most a minute ahead of when he asked.
create or replace function charge_ingest(cost bigint, quota bigint)
returns table (allowed boolean, charged bigint, reset_ms int, moment timestamptz)
language plpgsql as $$
#variable_conflict use_column
declare
  asked_at    constant timestamptz := app_now();
  this_minute constant bigint := floor(extract(epoch from asked_at) / 60);
  known       ingest_budgets;
begin
  insert into ingest_budgets as budget (minute, charged)
    select this_minute, cost where cost <= quota
    on conflict (workspace_id) do update
      set minute = case when budget.minute = this_minute + 1 then budget.minute else this_minute end,
          charged = excluded.charged + case
            when budget.minute between this_minute and this_minute + 1 then budget.charged else 0 end
      where budget.minute not between this_minute and this_minute + 1
        or budget.charged + excluded.charged <= quota
    returning * into known;
  allowed := found;
  if not allowed then
    select * into known from ingest_budgets where minute between this_minute and this_minute + 1;
  end if;
  moment := app_now();
  charged := coalesce(known.charged, 0);
  reset_ms := greatest(0, ceil(
    (coalesce(known.minute, this_minute) + 1) * 60000 - extract(epoch from moment) * 1000));
  return next;
end $$;
