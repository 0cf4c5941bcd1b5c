// keyrail-server signing-keys: lists and rotates the signing keys.

import { parseArgs } from 'node:util';
import { type SigningPurpose, signingPurposes } from '@keyrail/protocol/wire/signing-purposes.ts';
import { systemClock } from '../base/clock.ts';
import { createIdMaker } from '../base/ids.ts';
import { openLog } from '../base/log.ts';
import { systemRandomBytes } from '../base/random.ts';
import { wireTime } from '../base/wire-time.ts';
import type { Config } from '../config.ts';
import { openWork, type Work } from '../doors/work.ts';
import { secretsOf } from '../settings/generated-secrets.ts';
import { signingPartsOf } from '../signing/parts.ts';
import { rotateSigningKey } from '../signing/rotate-signing-key.ts';
import { isLasting, signerAt } from '../signing/rotation-schedule.ts';
import { listSigningKeys, type SigningKeyRow } from '../signing/rows.ts';
import { openStore } from './stores.ts';

const USAGE =
  'usage: keyrail-server signing-keys list | rotate [--now] ' +
  `[--purpose ${signingPurposes.join(' | ')}]`;

type Step = (tx: Work) => Promise<string>;

export async function signingKeysCommand(config: Config, words: readonly string[]): Promise<void> {
  const step = await stepFor(config, words);
  // Standard output contains only the result, so log to standard error.
  const log = openLog(config.logging.logLevel, process.stderr);
  const db = await openStore(config.store, systemClock, log);
  try {
    const work = openWork(db, createIdMaker(systemClock, systemRandomBytes));
    process.stdout.write(await work(step));
  } finally {
    await db.close();
  }
}

async function stepFor(config: Config, words: readonly string[]): Promise<Step> {
  if (words.join(' ') === 'list') return async (tx) => listed(await listSigningKeys(tx), tx.now);
  const { cause, purpose } = rotationIn(words);
  const { masterKey } = await secretsOf(config);
  const parts = signingPartsOf({
    ...config.signing,
    masterKey,
    randomBytes: systemRandomBytes,
  });
  return async (tx) => {
    const { newest, isNew } = await rotateSigningKey(tx, parts, { purpose, cause });
    const outcome = isNew ? 'created' : 'is already published';
    return `${newest.id} ${outcome}; it starts signing at ${wireTime(newest.signsFrom)}\n`;
  };
}

type Wanted = { cause: 'asked' | 'immediately'; purpose: SigningPurpose };

/** Parses `rotate`, followed by its options in any order, each at most once. */
function rotationIn([verb, ...options]: readonly string[]): Wanted {
  const { values } = optionsIn(options);
  const purpose = signingPurposes.find((each) => each === (values.purpose ?? 'embed_token'));
  if (verb !== 'rotate' || purpose === undefined) throw new Error(USAGE);
  return { cause: values.now ? 'immediately' : 'asked', purpose };
}

function optionsIn(args: string[]) {
  try {
    return parseArgs({ args, options: { now: { type: 'boolean' }, purpose: { type: 'string' } } });
  } catch (cause) {
    throw new Error(USAGE, { cause });
  }
}

/** All published keys, by purpose. */
function listed(keys: readonly SigningKeyRow[], now: Date): string {
  return signingPurposes
    .map((purpose) => {
      const own = keys.filter((key) => key.purpose === purpose);
      const current = signerAt(own, now);
      return own
        .filter(({ endsAt }) => isLasting(purpose) || !hasEnded(endsAt, now))
        .map((key) => `${key.id}  ${purpose}  ${stateOf(key, current, now)}\n`)
        .join('');
    })
    .join('');
}

const hasEnded = (endsAt: Date | null, now: Date): boolean => endsAt !== null && endsAt <= now;

function stateOf(key: SigningKeyRow, current: SigningKeyRow | null, now: Date): string {
  if (hasEnded(key.endsAt, now)) return 'retired, still published';
  if (key.signsFrom > now) return `published, starts signing at ${wireTime(key.signsFrom)}`;
  const until = key.endsAt ? `, ${untilOf(key)} ${wireTime(key.endsAt)}` : '';
  return key === current ? `signing since ${wireTime(key.signsFrom)}${until}` : `replaced${until}`;
}

const untilOf = ({ purpose }: SigningKeyRow): string =>
  isLasting(purpose) ? 'may sign until' : 'published until';
