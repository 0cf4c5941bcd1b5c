// One real app per test file, in this process, on the store the runner selects: the product with a
// shiftable clock and repeatable randomness.
import { createHash, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { feedFeatures } from '@keyrail/protocol/wire/feed-features.ts';
import { createPasswordHasher, type PasswordHasher } from '@keyrail/server/access/passwords.ts';
import { noThrottle } from '@keyrail/server/access/throttle.ts';
import { type App, type AppParts, appSettings, buildApp } from '@keyrail/server/app.ts';
import type { Clock } from '@keyrail/server/base/clock.ts';
import { openLog } from '@keyrail/server/base/log.ts';
import type { RandomBytes } from '@keyrail/server/base/random.ts';
import { Secret } from '@keyrail/server/base/secret.ts';
import { type Config, readConfig } from '@keyrail/server/config.ts';
import type { Database } from '@keyrail/server/db/database.ts';
import { embeddedDatabase } from '@keyrail/server/db/embedded/embedded.ts';
import { openPostgres } from '@keyrail/server/db/postgres.ts';
import { createMemoryCounters } from '@keyrail/server/volatile/memory.ts';
import {
  asSuperuser,
  createPostgresCopy,
  dropPostgresCopy,
  openEmbeddedCopy,
} from './database-copies.ts';
import { testScanner } from './scanner.ts';
import { unhurried } from './unhurried.ts';

export const BOOTSTRAP_TOKEN = 'a-bootstrap-token-for-tests-0123456789';
export const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

export type StoreName = 'embedded' | 'postgres';

export const storeName: StoreName =
  process.env.KEYRAIL_TEST_STORE === 'postgres' ? 'postgres' : 'embedded';

/** The machine's clock with an offset that tests can change. */
export type ShiftableClock = Clock & { shift(ms: number): void; reset(): void };

const MINUTE_MS = 60_000;
const MARGIN_MS = 500;

/**
 * Per-minute limits reset at the start of each minute. Tests that count requests move the clock to
 * just after that, so that the limits don't reset while they count.
 */
export const toNextMinute = (clock: ShiftableClock): void =>
  clock.shift(MINUTE_MS - (clock.now().getTime() % MINUTE_MS) + MARGIN_MS);

export type TestApp = {
  app: App;
  /** The store. Each statement gets at least a minute, no matter how short its deadline is. */
  db: Database;
  /** The same store with the product's own deadlines. */
  strictDb: Database;
  clock: ShiftableClock;
  hasher: PasswordHasher;
  /** A second app with different settings. Close only its `http`, because the store is shared. */
  variant(changes: Partial<AppParts>): App;
  /** Runs statements in one transaction as the superuser, bypassing every guard in the database. */
  beyond(text: string): Promise<void>;
};

/** This test file's mail directory. */
export const mailDirectory = join(tmpdir(), `keyrail-mail-${process.pid}-${randomUUID()}`);

let opened: Promise<TestApp> | undefined;

/** This file's app, opened on first use and closed after its last test. */
export function testApp(): Promise<TestApp> {
  opened ??= openTestApp();
  return opened;
}

after(async () => {
  if (opened) await (await opened).app.close();
  rmSync(mailDirectory, { recursive: true, force: true });
});

/**
 * The cost of hashing passwords is low, because tests sign up many users. Tests of the hasher, and
 * servers that run as programs, use the product's cost.
 */
const CHEAP_HASH = { memoryKiB: 64, passes: 1 };

async function openTestApp(): Promise<TestApp> {
  const clock = shiftableClock();
  const { db: strictDb, beyond } =
    storeName === 'postgres' ? await openTestPostgres(clock) : await openTestEmbedded(clock);
  const db = unhurried(strictDb);
  const hasher = createPasswordHasher(CHEAP_HASH);
  const parts: AppParts = {
    ...appSettings(usualConfig()),
    db: unhurried(db),
    clock,
    randomBytes: seededBytes('keyrail'),
    log: openLog('error', process.stderr),
    bootstrapToken: new Secret(BOOTSTRAP_TOKEN),
    masterKey: new Secret(MASTER_KEY),
    hasher,
    throttle: noThrottle,
    chargeEmbedChange: () => {},
    scannerKeys: testScanner,
    anchorPlaces: [],
    backup: { tasks: null, everyMs: null, place: 'inside', operatorEmail: null },
    counters: createMemoryCounters({ nowMs: () => clock.now().getTime() }),
    publicUrl: 'http://keyrail.test',
    checkAnswers: true,
    feedFeatures,
    metering: null,
    tracing: null,
  };
  return {
    app: buildApp(parts),
    db,
    strictDb,
    clock,
    hasher,
    variant: (changes) => buildApp({ ...parts, ...changes }),
    beyond,
  };
}

/** The default settings, except those that tests need to change. */
function usualConfig(): Config {
  const read = readConfig({
    KEYRAIL_MAIL: `file:${mailDirectory}`,
    KEYRAIL_MAIL_FROM: 'Keyrail <keyrail@keyrail.test>',
    KEYRAIL_REGION: 'test',
    KEYRAIL_WEBHOOK_PRIVATE: 'on',
  });
  if ('faults' in read) throw new Error(read.faults.join('\n'));
  return read.config;
}

type TestStore = Pick<TestApp, 'db' | 'beyond'>;

async function openTestEmbedded(clock: Clock): Promise<TestStore> {
  const lite = await openEmbeddedCopy();
  const db = await embeddedDatabase(lite, clock);
  return {
    db,
    // PGlite has a single session, which becomes the superuser for these statements.
    beyond: async (text) => {
      await lite.exec('set session authorization postgres');
      try {
        await lite.transaction((tx) => tx.exec(text));
      } finally {
        await lite.exec('set session authorization kr_login');
      }
    },
  };
}

const CONNECTIONS_MAX = 10;

async function openTestPostgres(clock: Clock): Promise<TestStore> {
  const superuserUrl = process.env.KEYRAIL_TEST_POSTGRES;
  if (!superuserUrl) throw new Error('KEYRAIL_TEST_POSTGRES is not set: run this with npm test');
  const url = await createPostgresCopy(superuserUrl);
  const onIdleError = () => {};
  const db = openPostgres({ url, clock, connectionsMax: CONNECTIONS_MAX, onIdleError });
  const close = async () => {
    await db.close();
    await dropPostgresCopy(superuserUrl, url);
  };
  return {
    db: { ...db, close },
    beyond: (text) =>
      asSuperuser(url.replace('keyrail@', 'postgres@'), (admin) =>
        admin.query(`begin; set local search_path = keyrail; ${text}; commit`),
      ),
  };
}

export function shiftableClock(): ShiftableClock {
  let byMs = 0;
  return {
    now: () => new Date(Date.now() + byMs),
    shiftMs: () => byMs,
    shift: (ms) => {
      byMs += ms;
    },
    reset: () => {
      byMs = 0;
    },
  };
}

/** Generates the same sequence of bytes for the same seed. */
export function seededBytes(seed: string): RandomBytes {
  let counter = 0;
  return (length) => {
    const blocks: Buffer[] = [];
    while (blocks.length * 32 < length) {
      blocks.push(createHash('sha256').update(`${seed} ${counter}`).digest());
      counter += 1;
    }
    return Buffer.concat(blocks).subarray(0, length);
  };
}
