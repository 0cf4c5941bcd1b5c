// Reads everything the checks compare with the history, at the end of a soak.
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '@keyrail/testing/processes/http.ts';
import { listAll } from '@keyrail/testing/processes/ledger.ts';
import { groupsOf, type History, isOk, opsOf, textOf } from './history.ts';
import { filtersOf, readWhole } from './steps/feed.ts';
import { mailsIn } from './steps/people.ts';
import type { World } from './world.ts';

const MAIL_QUIET_MS = 3_000;
/**
 * How long to wait for emails. If a worker is killed, the emails it has claimed are sent only after
 * two minutes.
 */
const MAIL_MS_MAX = 150_000;

type Read = Pick<History, 'audit' | 'keys' | 'tenants' | 'usage' | 'mails'>;

export async function readEverything(world: World): Promise<Read> {
  const [url = ''] = world.urls;
  const list = (path: string) => listAll(url, world.secretKey, path);
  for (const filter of filtersOf(world)) await readWhole(world, filter);
  return {
    audit: await list('/v1/audit_logs?limit=200'),
    keys: await list('/v1/keys?include_revoked=true&limit=200'),
    tenants: await list('/v1/tenants?limit=1000'),
    usage: await usageOf(world, url),
    mails: await settledMails(world),
  };
}

async function usageOf(world: World, url: string): Promise<Record<string, number>> {
  const ids = new Set(
    opsOf(world, 'ingest.batch')
      .filter(isOk)
      .map(({ args }) => String(args.key)),
  );
  const usage: Record<string, number> = {};
  for (const id of ids) {
    const read = await ask(url, { path: `/v1/keys/${id}/usage`, token: world.secretKey });
    // If a key's usage can't be read, it counts as zero, so that the checks report the usage as
    // lost.
    const data = read.kind === 'answered' && read.status === 200 ? read.body.data : [];
    const days = Array.isArray(data) ? data : [];
    usage[id] = days.reduce((sum: number, day) => sum + Number(textOf(day, 'requests')), 0);
  }
  return usage;
}

/** Waits until no more emails arrive and every sign-up has one, and returns all emails. */
async function settledMails(world: World): Promise<History['mails']> {
  const until = performance.now() + MAIL_MS_MAX;
  const owed = groupsOf(opsOf(world, 'signup').filter(isOk), ({ args }) => String(args.email));
  let count = -1;
  for (;;) {
    const mails = await mailsIn(world.mailDir);
    const sentTo = (email: string) =>
      new Set(mails.filter(({ to }) => to === email).map(({ id }) => id)).size;
    const isSettled = mails.length === count;
    const isWhole = [...owed].every(([email, each]) => sentTo(email) >= each.length);
    if ((isSettled && isWhole) || performance.now() > until) {
      return mails.map(({ id, kind, to }) => ({ id, kind, to }));
    }
    count = mails.length;
    await sleep(MAIL_QUIET_MS);
  }
}
