// The gate: the few look-ups that happen before there is a reach. Its role can see nothing else.
import { sql } from 'kysely';
import type { Deadline } from '../base/deadline.ts';
import { deadlineAfter } from '../base/deadline.ts';
import type { Database, Opening } from '../db/database.ts';
import { build, many, type Runner } from '../db/sql.ts';
import { allEnvs } from './reach.ts';

const GATE_TIMEOUT_MS = 3000;
const LOOK_UPS_PER_STATEMENT_MAX = 500;

/** What the gate knows of a secret key, active or not. */
export type SecretKeyFact = {
  id: string;
  workspaceId: string;
  env: 'live' | 'test';
  authority: 'owner' | 'admin';
  /** Judged by the database's clock when it was read. */
  active: boolean;
  /** True when its last noted use is old enough to be noted again. */
  useIsStale: boolean;
};

export type Gate = {
  findSecretKey(lookupHash: string): Promise<SecretKeyFact | null>;
  noteUse(fact: SecretKeyFact): Promise<void>;
};

export function openGate(db: Database): Gate {
  const runner = (deadline: Deadline): Runner => ({
    run: (statement) => db.once(opening(deadline), statement),
  });
  const find = gathered((hashes) => findSecretKeys(runner(deadlineAfter(GATE_TIMEOUT_MS)), hashes));
  return {
    findSecretKey: find,
    noteUse: (fact) => noteUse(runner(deadlineAfter(GATE_TIMEOUT_MS)), fact),
  };
}

const opening = (deadline: Deadline): Opening => ({
  role: 'kr_gate',
  scope: { workspaceId: null, envs: allEnvs },
  deadline,
});

/**
 * Requests that arrive together are looked up together. The statement is sent after the last of
 * them came in, so that each still sees every revocation that was answered before it was sent.
 */
function gathered<Fact>(
  find: (hashes: string[]) => Promise<Map<string, Fact>>,
): (hash: string) => Promise<Fact | null> {
  let waiting: { hashes: string[]; found: Promise<Map<string, Fact>> } | null = null;
  return async (hash) => {
    if (!waiting || waiting.hashes.length >= LOOK_UPS_PER_STATEMENT_MAX) {
      const hashes: string[] = [];
      const found = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        if (waiting?.hashes === hashes) waiting = null;
        return find(hashes);
      });
      waiting = { hashes, found };
    }
    waiting.hashes.push(hash);
    return (await waiting.found).get(hash) ?? null;
  };
}

async function findSecretKeys(
  runner: Runner,
  hashes: string[],
): Promise<Map<string, SecretKeyFact>> {
  const wanted = [...new Set(hashes)].map((hash) => Buffer.from(hash, 'hex'));
  const rows = await many(
    runner,
    sql<SecretKeyFact & { hash: string }>`
      select k.id, k.workspace_id, k.env, k.authority, encode(k.lookup_hash, 'hex') as hash,
        k.revoked_at is null and (k.expires_at is null or k.expires_at > app_now()) as active,
        coalesce(u.used_at < app_now() - interval '1 minute', true) as use_is_stale
      from secret_keys k left join secret_key_uses u on u.secret_key_id = k.id
      where k.lookup_hash = any (${wanted}::bytea[])`,
  );
  return new Map(rows.map((row) => [row.hash, row]));
}

/** At most once a minute for each key, however many processes see it used. */
async function noteUse(runner: Runner, { id, workspaceId }: SecretKeyFact): Promise<void> {
  const usedAt = sql<Date>`app_now()`;
  await many(
    runner,
    build
      .insertInto('secretKeyUses')
      .values({ secretKeyId: id, workspaceId, usedAt })
      .onConflict((conflict) =>
        conflict
          .column('secretKeyId')
          .doUpdateSet({ usedAt })
          .where(sql<boolean>`secret_key_uses.used_at < app_now() - interval '1 minute'`),
      ),
  );
}
