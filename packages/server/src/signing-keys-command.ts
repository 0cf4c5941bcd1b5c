// keyrail-server signing-keys: lists and rotates the keys that sign embed tokens.
import { signingPartsOf } from './app.ts';
import { systemClock } from './base/clock.ts';
import { createIdMaker } from './base/ids.ts';
import { openLog } from './base/log.ts';
import { systemRandomBytes } from './base/random.ts';
import { wireTime } from './base/wire-time.ts';
import type { Config } from './config.ts';
import { openWork, type Work } from './doors/work.ts';
import { rotateSigningKey } from './features/signing/rotate-signing-key.ts';
import { listSigningKeys, type SigningKeyRow } from './features/signing/rows.ts';
import { secretsOf } from './start.ts';
import { openStore } from './stores.ts';

const USAGE = 'usage: keyrail-server signing-keys list | rotate [--now]';

type Step = (tx: Work) => Promise<string>;

export async function signingKeysCommand(config: Config, words: readonly string[]): Promise<void> {
  const step = await stepFor(config, words);
  // Standard output holds only the result, so log to standard error.
  const log = openLog(config.logLevel, process.stderr);
  const db = await openStore(config, systemClock, log);
  try {
    const work = openWork(db, createIdMaker(systemClock, systemRandomBytes));
    process.stdout.write(await work(step));
  } finally {
    await db.close();
  }
}

async function stepFor(config: Config, words: readonly string[]): Promise<Step> {
  const asked = words.join(' ');
  if (asked === 'list') return async (tx) => listed(await listSigningKeys(tx), tx.now);
  if (asked !== 'rotate' && asked !== 'rotate --now') throw new Error(USAGE);
  const { masterKey } = await secretsOf(config);
  const parts = signingPartsOf({ ...config, masterKey, randomBytes: systemRandomBytes });
  return async (tx) => {
    const occasion = asked === 'rotate' ? 'asked' : 'at once';
    const { newest, isNew } = await rotateSigningKey(tx, parts, occasion);
    const outcome = isNew ? 'created' : 'is already published';
    return `${newest.id} ${outcome}; it signs from ${wireTime(newest.signsFrom)}\n`;
  };
}

function listed(keys: readonly SigningKeyRow[], now: Date): string {
  const current = keys.findLast(
    ({ signsFrom, endsAt }) => signsFrom <= now && !hasEnded(endsAt, now),
  );
  return keys
    .filter(({ endsAt }) => !hasEnded(endsAt, now))
    .map((key) => `${key.id}  ${stateOf(key, current, now)}\n`)
    .join('');
}

const hasEnded = (endsAt: Date | null, now: Date): boolean => endsAt !== null && endsAt <= now;

function stateOf(key: SigningKeyRow, current: SigningKeyRow | undefined, now: Date): string {
  if (key.signsFrom > now) return `published, signs from ${wireTime(key.signsFrom)}`;
  const until = key.endsAt ? `, published until ${wireTime(key.endsAt)}` : '';
  return key === current ? `signs since ${wireTime(key.signsFrom)}${until}` : `replaced${until}`;
}
