// Statements that append many rows about a workspace's keys to its audit log: rows like the ones
// close_change() writes, each with its real hash. A superuser runs them with triggers disabled.

type LongLog = { workspaceId: string; rows: number };

export const longAuditLog = ({ workspaceId, rows }: LongLog): string => `
do $$
declare
  head      audit_heads%rowtype;
  ids       constant uuid[] := array(
              select id from api_keys where workspace_id = '${workspaceId}' limit 1000);
  row_id    uuid;
  target    uuid;
  canonical text;
  body      constant text := '{"changed":["name"],"env":"live"}';
begin
  select * into head from audit_heads where workspace_id = '${workspaceId}';
  for n in 1 .. ${rows} loop
    head.seq := head.seq + 1;
    row_id := gen_random_uuid();
    target := ids[1 + n % cardinality(ids)];
    canonical := '{"action":"api_key.updated","actor_id":null,"actor_type":"system","id":"'
      || row_id || '","occurred_at":"' || iso_millis(head.occurred_at)
      || '","payload":' || body || ',"prev_hash":"' || head.hash || '","seq":' || head.seq
      || ',"target_id":"' || target || '","target_type":"api_key"'
      || ',"workspace_id":"${workspaceId}"}';
    insert into audit_logs values (row_id, head.workspace_id, head.seq, head.occurred_at, 'system',
      null, 'api_key.updated', 'api_key', target, 'live', body, head.hash,
      encode(sha256(convert_to(canonical, 'UTF8')), 'hex'))
      returning hash into head.hash;
  end loop;
  update audit_heads set seq = head.seq, hash = head.hash where workspace_id = head.workspace_id;
end $$`;
