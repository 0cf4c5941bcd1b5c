// keyrail-server audit verify: checks every audit chain in the store. With anchor files, it also
// checks that no chain has been truncated or rewritten. It doesn't change the log.
import type { KeyObject } from 'node:crypto';
import { parseArgs } from 'node:util';
import { UUID_ANY_CASE } from '@keyrail/protocol/wire/uuid.ts';
import { monotonicMs, systemClock } from '../base/clock.ts';
import { steppedDeadline } from '../base/deadline.ts';
import { DAY_MS, SECOND_MS } from '../base/duration.ts';
import { reasonOf } from '../base/errors.ts';
import { createIdMaker } from '../base/ids.ts';
import { openLog } from '../base/log.ts';
import { systemRandomBytes } from '../base/random.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { allEnvs } from '../doors/reach.ts';
import { openRead } from '../doors/read.ts';
import { type OpenWork, openWork } from '../doors/work.ts';
import { type ReadAnchors, readAnchorFiles } from '../features/audit/anchor-files.ts';
import { listChains } from '../features/audit/anchors.rows.ts';
import { chainIn } from '../features/audit/rows.ts';
import { verifyChain } from '../features/audit/verify-chain.ts';
import { publicKeyOf } from '../signing/pair.ts';
import { listSigningKeys } from '../signing/rows.ts';
import { openStore } from './stores.ts';

const USAGE =
  'usage: keyrail-server audit verify [--workspace ID] [--anchors FILE …] [--json]\n' +
  "Exits with 0 if everything is intact, 1 if something has been tampered with, or 2 if the check couldn't be completed.";

/** Nothing else runs in this process, so pages can be large. */
const PAGE_ROWS = 5000;
const CHAINS_PER_STATEMENT = 500;
const BROKEN_MAX = 1000;
const STATEMENT_MS_MAX = 10 * SECOND_MS;
const NOT_CHECKED = 2;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

type Asked = { workspaceId: string | null; files: string[]; isJson: boolean };

export async function auditCommand(config: Config, words: readonly string[]): Promise<void> {
  try {
    const asked = askedIn(words);
    const report = await verifyAll(config, asked);
    process.stdout.write(asked.isJson ? `${JSON.stringify(report)}\n` : textOf(report));
    process.exitCode = report.ok ? 0 : 1;
  } catch (error) {
    process.stderr.write(`keyrail-server: ${reasonOf(error)}\n`);
    process.exitCode = NOT_CHECKED;
  }
}

function askedIn([verb, ...args]: readonly string[]): Asked {
  const { workspace, anchors = [], json = false } = optionsIn(args);
  if (verb !== 'verify') throw new Error(USAGE);
  if (workspace !== undefined && !UUID_ANY_CASE.test(workspace))
    throw new Error('--workspace requires a workspace ID');
  return { workspaceId: workspace?.toLowerCase() ?? null, files: anchors, isJson: json };
}

function optionsIn(args: string[]) {
  const options = {
    workspace: { type: 'string' },
    anchors: { type: 'string', multiple: true },
    json: { type: 'boolean' },
  } as const;
  try {
    return parseArgs({ args, options }).values;
  } catch (cause) {
    throw new Error(USAGE, { cause });
  }
}

type Broken = { workspace_id: string; seq: number; reason: string };

type Report = {
  ok: boolean;
  chains: number;
  rows: number;
  seconds: number;
  /** The broken chains, at most BROKEN_MAX. */
  broken: Broken[];
  /** Null if no anchor files were given. */
  anchors: Omit<ReadAnchors, 'chains'> | null;
};

async function verifyAll(config: Config, asked: Asked): Promise<Report> {
  // Standard output contains only the report.
  const log = openLog(config.logging.logLevel, process.stderr);
  const db = await openStore(config.store, systemClock, log);
  try {
    const work = openWork(db, createIdMaker(systemClock, systemRandomBytes));
    return await reportOn(db, work, asked);
  } finally {
    await db.close();
  }
}

/**
 * Anchors are read before the chains, so that a chain that grows in the meantime doesn't look
 * truncated.
 */
async function reportOn(db: Database, work: OpenWork, asked: Asked): Promise<Report> {
  const startedAt = monotonicMs();
  const { workspaceId, files } = asked;
  const read = await readAnchorFiles({ files, keys: await anchorKeys(work), workspaceId });
  const left = new Set(read.chains.keys());
  const total = { chains: 0, rows: 0 };
  const broken: Broken[] = [];
  const note = (id: string, seq: number, reason: string) => {
    if (broken.length < BROKEN_MAX) broken.push({ workspace_id: id, seq, reason });
  };
  for await (const id of chainsOf(work, workspaceId)) {
    const anchored = read.chains.get(id) ?? [];
    const verdict = await verifyChain(sourceOf(db, id), { pageRows: PAGE_ROWS, anchored });
    left.delete(id);
    total.chains += 1;
    total.rows += verdict.checked;
    if (verdict.brokenSeq !== null) note(id, verdict.brokenSeq, verdict.reason ?? '');
    // Creating a workspace writes an entry, so no audit log is empty.
    else if (verdict.headSeq === 0) {
      if (workspaceId !== null) throw new Error(`workspace ${id} has no audit log`);
      note(id, 1, 'The chain has no entries.');
    }
  }
  for (const id of left) note(id, 1, 'The chain was anchored, but its workspace no longer exists.');
  const { chains: _, ...anchors } = read;
  return {
    ok: broken.length === 0 && read.refused.length === 0,
    ...total,
    seconds: Math.round(monotonicMs() - startedAt) / SECOND_MS,
    broken,
    anchors: files.length > 0 ? anchors : null,
  };
}

/** Includes retired keys, because their anchors are still valid. */
async function anchorKeys(work: OpenWork): Promise<Map<string, KeyObject>> {
  const keys = await work(listSigningKeys);
  return new Map(
    keys
      .filter(({ purpose }) => purpose === 'audit_anchor')
      .map(({ id, publicKey }) => [id, publicKeyOf(publicKey)]),
  );
}

async function* chainsOf(work: OpenWork, workspaceId: string | null): AsyncGenerator<string> {
  if (workspaceId !== null) {
    yield workspaceId;
    return;
  }
  let after = BEFORE_ALL;
  for (;;) {
    const page = await work((tx) => listChains(tx, { after, limit: CHAINS_PER_STATEMENT }));
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < CHAINS_PER_STATEMENT) return;
    after = last;
  }
}

const sourceOf = (db: Database, workspaceId: string) =>
  chainIn(
    openRead(
      db,
      { workspaceId, envs: allEnvs, actor: { type: 'system', id: null }, authority: 'owner' },
      steppedDeadline(STATEMENT_MS_MAX, DAY_MS),
    ),
  );

function textOf({ ok, chains, rows, seconds, broken, anchors }: Report): string {
  const lines = [
    ...broken.map(
      ({ workspace_id: id, seq, reason }) => `workspace ${id}: broken at entry ${seq}: ${reason}`,
    ),
    ...(anchors?.refused ?? []).map(
      ({ file, line, reason }) => `${file}, line ${line}: rejected: ${reason}`,
    ),
    `${counted(rows, 'entry', 'entries')} in ${counted(chains, 'chain')}, checked in ${seconds} s: ${ok ? 'intact' : 'NOT intact'}`,
    anchors === null
      ? 'No anchors given. Without them, a truncated or rewritten chain still looks intact.'
      : `${counted(anchors.used, 'valid anchor')} in ${counted(anchors.lines, 'line')}, ` +
        `${anchors.unreadable} unreadable`,
  ];
  return `${lines.join('\n')}\n`;
}

const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
