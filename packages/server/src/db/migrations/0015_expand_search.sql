-- The IDs of rows that contain a text. A trigram index finds them, if this database has one: see
-- trigram-search.ts. Otherwise none are returned, and searches examine only the newest rows.
--
-- Row-level security keeps the planner from using a trigram index, because LIKE isn't leakproof. So
-- the function that reads the index isn't subject to it, and returns only IDs within the reach.
-- Statements read the rows themselves, with row-level security.
create function indexed_matches(kind text, part text) returns setof uuid
stable rows 100 language plpgsql as $$
begin
  if to_regprocedure('keyrail.trigram_matches(text, text)') is not null then
    return query execute 'select * from keyrail.trigram_matches($1, $2)' using kind, part;
  end if;
end $$;
