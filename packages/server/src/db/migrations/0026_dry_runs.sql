-- What a dry run asks the database.

-- The secret keys that a person minted are found in the log: by their creation, or by the rotation
-- of which they are the successor.
create index audit_logs_minted on audit_logs (workspace_id, actor_id, seq)
  where action in ('secret_key.created', 'secret_key.rotated');

-- Raises what count_meta() raises at the commit of a change that stores `bytes_after` bytes.
create function refuse_meta_beyond(bytes_before int, bytes_after int) returns void stable
language plpgsql security definer set search_path = keyrail, pg_catalog, pg_temp as $$
declare
  added constant int := counted_meta_bytes(bytes_after) - counted_meta_bytes(bytes_before);
  total constant bigint :=
    coalesce((select bytes from meta_totals where workspace_id = reach_workspace()), 0);
begin
  if added > 0 and total + added > meta_bytes_max() then
    raise exception 'the meta of a workspace exceeds its limit' using errcode = 'KR007';
  end if;
end $$;
revoke execute on function refuse_meta_beyond from public;
grant execute on function refuse_meta_beyond to kr_read;
