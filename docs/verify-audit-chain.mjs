// Re-derives the audit chain of a workspace from what the API answers, trusting nothing else.
//
//   SECRET_KEY=krsk_live_… node docs/verify-audit-chain.mjs <url> [<seq> <hash>]
//
// With a position that was kept earlier, it also checks that this row still has that hash.
import { createHash } from 'node:crypto';

const [url = 'http://127.0.0.1:4400', keptSeq, keptHash] = process.argv.slice(2);
const { SECRET_KEY } = process.env;

async function get(path) {
  const answer = await fetch(new URL(path, url), {
    headers: { authorization: `Bearer ${SECRET_KEY}` },
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** RFC 8785: keys in order, no spaces, strings and numbers as JavaScript writes them. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(',')}}`;
}

function hashOf(row, workspaceId) {
  // What the answer adds for its reader is not part of what was hashed.
  const { object: _object, actor: _actor, hash: _hash, ...hashed } = row;
  const text = canonical({ ...hashed, workspace_id: workspaceId });
  return createHash('sha256').update(text).digest('hex');
}

/** A position that could not be checked must not look like one that was. */
function refuseUnreadablePosition() {
  if (keptSeq === undefined) return;
  if (!/^[1-9]\d*$/.test(keptSeq) || !/^[0-9a-f]{64}$/.test(keptHash ?? '')) {
    throw new Error('what was kept is a row number and its hash, in that order');
  }
}

async function verify() {
  refuseUnreadablePosition();
  const { id: workspaceId } = await get('/v1/workspace');
  let seq = 0;
  let head = '0'.repeat(64);
  for (;;) {
    const { data: rows } = await get(`/v1/audit_logs?after_seq=${seq}&limit=200`);
    if (rows.length === 0) return { seq, head };
    for (const row of rows) {
      if (row.seq !== seq + 1) throw new Error(`row ${seq + 1} is missing`);
      if (row.prev_hash !== head) throw new Error(`row ${row.seq} does not link to the one before`);
      if (row.hash !== hashOf(row, workspaceId)) throw new Error(`row ${row.seq} was edited`);
      if (row.seq === Number(keptSeq) && row.hash !== keptHash) {
        throw new Error(`row ${row.seq} is not the one that was kept`);
      }
      seq = row.seq;
      head = row.hash;
    }
  }
}

try {
  const { seq, head } = await verify();
  if (seq < Number(keptSeq ?? 0)) throw new Error(`row ${keptSeq} is gone: the end was cut off`);
  console.log(`${seq} rows, whole. Keep this to check against later: ${seq} ${head}`);
} catch (error) {
  console.error(`Not verified: ${error.message}`);
  process.exitCode = 1;
}
