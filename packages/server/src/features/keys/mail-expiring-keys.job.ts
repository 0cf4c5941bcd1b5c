// Once a day, emails the owners of each workspace a list of its live keys that expire soon. Safe to
// run twice: an email's ID is derived from its workspace, recipient and date.
import { createHash } from 'node:crypto';
import { EXPIRY_NOTICE_DAYS } from '@keyrail/protocol/wire/limits.ts';
import { DAY_MS, msAfter } from '../../base/duration.ts';
import { wireTime } from '../../base/wire-time.ts';
import type { Read } from '../../doors/door.ts';
import { allEnvs, type Reach } from '../../doors/reach.ts';
import type { OpenWork } from '../../doors/work.ts';
import { insertMailOnce } from '../mail/rows.ts';
import { listRecipients } from '../members/queue-owner-mail.ts';
import { type EndingKey, listEndingKeys } from './ending.rows.ts';

type ExpiryMailParts = { work: OpenWork; readIn(reach: Reach): Read };

const PAGE_MAX = 1000;
/** The maximum number of keys listed in an email. */
const NAMED_MAX = 20;
const [WITHIN_DAYS] = EXPIRY_NOTICE_DAYS;

type Ending = { count: number; named: EndingKey[] };

export async function mailExpiringKeys(parts: ExpiryMailParts): Promise<void> {
  const now = await parts.work(async (tx) => tx.now);
  for (const [workspaceId, ending] of await endingByWorkspace(parts, now)) {
    await mailOne(parts, workspaceId, { ...ending, day: wireTime(now).slice(0, 10) });
  }
}

async function endingByWorkspace(
  { work }: ExpiryMailParts,
  now: Date,
): Promise<Map<string, Ending>> {
  const found = new Map<string, Ending>();
  const span = { from: now, to: msAfter(now, WITHIN_DAYS * DAY_MS), limit: PAGE_MAX };
  let last: EndingKey | undefined;
  do {
    const after = last ?? null;
    const page: EndingKey[] = await work((tx) => listEndingKeys(tx, { ...span, after }));
    last = page.length === PAGE_MAX ? page.at(-1) : undefined;
    for (const key of page.filter(({ env }) => env === 'live')) {
      const ending = found.get(key.workspaceId) ?? { count: 0, named: [] };
      ending.count += 1;
      if (ending.named.length < NAMED_MAX) ending.named.push(key);
      found.set(key.workspaceId, ending);
    }
  } while (last);
  return found;
}

async function mailOne(
  { work, readIn }: ExpiryMailParts,
  workspaceId: string,
  { count, named, day }: Ending & { day: string },
): Promise<void> {
  const actor = { type: 'system', id: null } as const;
  const read = readIn({ workspaceId, envs: allEnvs, actor, authority: 'owner' });
  const { workspace, addresses } = await listRecipients(read);
  const keys = named
    .map(({ displayPrefix, expiresAt }) => `${displayPrefix}… expires ${wireTime(expiresAt)}`)
    .join('; ');
  for (const to of addresses) {
    const id = idFor(`keys_expiring ${workspaceId} ${day} ${to}`);
    const others = String(count - named.length);
    const params = { workspace, count: String(count), keys, others };
    await work((tx) => insertMailOnce(tx, { id, kind: 'keys_expiring', to, params }));
  }
}

const idFor = (text: string): string =>
  createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
