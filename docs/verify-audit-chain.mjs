// Recomputes a workspace's audit chain and trusts nothing else. One file, only Node.js.
//
// Offline, from files that `keyrail audit export` wrote, against anchors kept elsewhere:
//
//   node docs/verify-audit-chain.mjs <export> … [--anchors <file> --jwks <file>]
//
// Online, from the API's responses, against a position kept earlier:
//
//   SECRET_KEY=krsk_live_… node docs/verify-audit-chain.mjs <url> [<seq> <hash>]
import { createHash, createPublicKey, verify as isSigned } from 'node:crypto';
import { createReadStream, readFileSync, realpathSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

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
  // Fields the response adds for its reader are not part of what was hashed.
  const { object: _object, actor: _actor, hash: _hash, ...hashed } = row;
  const text = canonical({ ...hashed, workspace_id: workspaceId });
  return createHash('sha256').update(text).digest('hex');
}

/** `seq` is the entry with the fault. */
const fault = (seq, message) => Object.assign(new Error(message), { seq });

/** Checks entries one after another. `anchors` belong to this chain, in the order of `seq`. */
function chainFrom({ workspaceId, seq = 0, head = '0'.repeat(64), anchors = [] }) {
  let next = anchors.findIndex((anchor) => anchor.seq > seq);
  if (next === -1) next = anchors.length;
  return {
    take(row) {
      if (row.seq !== seq + 1) throw fault(seq + 1, `entry ${seq + 1} is missing`);
      if (head !== null && row.prev_hash !== head) {
        throw fault(row.seq, `entry ${row.seq} does not link to the one before`);
      }
      if (row.hash !== hashOf(row, workspaceId))
        throw fault(row.seq, `entry ${row.seq} was edited`);
      seq = row.seq;
      head = row.hash;
      for (; anchors[next]?.seq === seq; next += 1) {
        if (anchors[next].hash !== head || anchors[next].count !== seq) {
          const at = anchors[next].anchored_at;
          throw fault(seq, `entry ${seq} differs from the one anchored at ${at}: it was rewritten`);
        }
      }
    },
    end() {
      const last = anchors.at(-1);
      if (last && last.seq > seq) {
        const what = `entries up to ${last.seq} were anchored at ${last.anchored_at}`;
        throw fault(
          seq + 1,
          `entry ${seq + 1} is gone: ${what}; the end was cut off, or this export is older`,
        );
      }
      return { seq, head };
    },
  };
}

/**
 * The anchors in JSON lines, verified with the JWKS keys with the purpose `audit_anchor`. A line
 * that isn't JSON is counted; an anchor without a valid signature is an error.
 */
export async function readAnchors(lines, jwks) {
  const keys = new Map(
    jwks.keys
      .filter(({ purpose }) => purpose === 'audit_anchor')
      .map((key) => [key.kid, createPublicKey({ key, format: 'jwk' })]),
  );
  const anchors = [];
  let unreadable = 0;
  let number = 0;
  for await (const text of lines) {
    number += 1;
    if (text === '') continue;
    const anchor = parsed(text);
    if (anchor === null) {
      unreadable += 1;
      continue;
    }
    const { signature, ...signed } = anchor;
    const key = keys.get(anchor.kid);
    const isOurs =
      key !== undefined &&
      anchor.object === 'audit_anchor' &&
      isSigned(null, Buffer.from(canonical(signed)), key, Buffer.from(`${signature}`, 'base64url'));
    if (!isOurs) throw new Error(`anchors, line ${number}: no key of the JWKS signed this`);
    anchors.push(anchor);
  }
  return { anchors, unreadable };
}

function parsed(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}

/** Checks exported lines: a header, then entries. Later headers start files that continue it. */
export async function verifyExport(lines, anchors = []) {
  let chain = null;
  let header = null;
  let number = 0;
  for await (const text of lines) {
    number += 1;
    if (text === '') continue;
    const line = parsed(text);
    if (line === null) throw new Error(`line ${number} of the export is not JSON`);
    if (line.object === 'audit_export') {
      if (header !== null && line.workspace_id !== header.workspace_id) {
        throw new Error('the files belong to different workspaces');
      }
      // A later file continues the chain: its entries have to follow the ones before.
      if (header === null) chain = chainOf(line, anchors);
      header ??= line;
    } else if (chain === null) throw new Error('the export does not start with its header');
    else chain.take(line);
  }
  if (chain === null) throw new Error('the export is empty');
  return { ...chain.end(), workspaceId: header.workspace_id, since: header.since };
}

/** A file that starts later lacks the entries before, so its first link is not checked. */
function chainOf({ workspace_id: workspaceId, since }, anchors) {
  const own = anchors
    .filter((anchor) => anchor.workspace_id === workspaceId)
    .sort((a, b) => a.seq - b.seq);
  return chainFrom({ workspaceId, seq: since, ...(since > 0 && { head: null }), anchors: own });
}

async function* linesOf(paths) {
  for (const path of paths) {
    yield* createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  }
}

async function offline(files, { anchors: anchorFiles = [], jwks }) {
  if (anchorFiles.length > 0 !== (jwks !== undefined)) {
    throw new Error('pass --anchors and --jwks together');
  }
  const read =
    jwks === undefined
      ? { anchors: [], unreadable: 0 }
      : await readAnchors(linesOf(anchorFiles), JSON.parse(readFileSync(jwks, 'utf8')));
  const { seq, head, workspaceId, since } = await verifyExport(linesOf(files), read.anchors);
  const used = read.anchors.filter((anchor) => anchor.workspace_id === workspaceId).length;
  // No anchors of this workspace would otherwise look like anchors that match.
  if (jwks !== undefined && used === 0)
    throw new Error(`no anchor belongs to workspace ${workspaceId}`);
  if (since > 0)
    console.log(`Starts after entry ${since}: the entries before it were not checked.`);
  if (read.unreadable > 0) console.log(`Unreadable lines in the anchors: ${read.unreadable}.`);
  if (used === 0) console.log('Without anchors, a truncated or rewritten chain is not detected.');
  const compared = used > 0 ? `, ${used} anchors match` : '';
  console.log(
    `${seq - since} entries, intact${compared}. Keep this to check against later: ${seq} ${head}`,
  );
}

async function online(url, keptSeq, keptHash) {
  // A position that could not be checked must not look like one that was.
  const isPosition = /^[1-9]\d*$/.test(keptSeq ?? '') && /^[0-9a-f]{64}$/.test(keptHash ?? '');
  if (keptSeq !== undefined && !isPosition) {
    throw new Error('pass the kept position as an entry number and its hash, in that order');
  }
  const get = async (path) => {
    const headers = { authorization: `Bearer ${process.env.SECRET_KEY}` };
    const answer = await fetch(new URL(path, url), { headers });
    if (!answer.ok)
      throw new Error(`${path} responded with ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  const { id: workspaceId } = await get('/v1/workspace');
  const chain = chainFrom({ workspaceId });
  let last = 0;
  for (;;) {
    const { data: rows } = await get(`/v1/audit_logs?after_seq=${last}&limit=200`);
    if (rows.length === 0) break;
    for (const row of rows) {
      chain.take(row);
      if (row.seq === Number(keptSeq) && row.hash !== keptHash) {
        throw new Error(`entry ${row.seq} differs from the one kept earlier`);
      }
      last = row.seq;
    }
  }
  if (last < Number(keptSeq ?? 0)) throw new Error(`entry ${keptSeq} is gone: the end was cut off`);
  const { seq, head } = chain.end();
  console.log(`${seq} entries, intact. Keep this to check against later: ${seq} ${head}`);
}

async function main() {
  const options = { anchors: { type: 'string', multiple: true }, jwks: { type: 'string' } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [first = 'http://127.0.0.1:4400', ...others] = positionals;
  if (/^https?:/.test(first)) return online(first, ...others);
  return offline(positionals, values);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  main().catch((error) => {
    console.error(`Not verified: ${error.message}`);
    process.exitCode = 1;
  });
}
