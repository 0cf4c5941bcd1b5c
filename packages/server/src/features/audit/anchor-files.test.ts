// Anchor files as `audit verify` reads them: only anchors signed with an anchor key are used.
import { deepEqual, equal } from 'node:assert/strict';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { signHeads, wireAnchor } from '../../signing/anchors.ts';
import { readAnchorFiles } from './anchor-files.ts';

const { privateKey: key, publicKey } = generateKeyPairSync('ed25519');
const kid = randomUUID();
const workspaceId = randomUUID();
const occurredAt = new Date('2026-01-01T00:00:00Z');
const heads = [7, 3].map((seq) => ({ workspaceId, seq, hash: `${seq}`.repeat(64), occurredAt }));
const lines = signHeads(heads, { kid, key }, occurredAt).map((each) =>
  JSON.stringify(wireAnchor(each)),
);
const keys = new Map([[kid, publicKey]]);

async function readingOf(content: string, more = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'keyrail-anchors-'));
  const file = join(directory, 'a.jsonl');
  writeFileSync(file, content);
  try {
    return await readAnchorFiles({ files: [file], keys, workspaceId: null, ...more });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test('anchors are used in entry order, and duplicates are ignored', async () => {
  const { chains, used, lines: read } = await readingOf(`${[...lines, ...lines].join('\n')}\n`);
  deepEqual(
    chains.get(workspaceId)?.map(({ seq }) => seq),
    [3, 7],
  );
  deepEqual([used, read], [2, 4]);
});

test('a torn or overlong line is counted as unreadable, and the lines after it are still used', async () => {
  const torn = lines[0]?.slice(0, 80);
  const { used, unreadable, refused } = await readingOf(
    `${torn}\n${'x'.repeat(200_000)}\n\n${lines[0]}\n${lines[1]}`,
  );
  deepEqual([used, unreadable, refused], [2, 2, []]);
});

test('an edited anchor, or an anchor signed by an unknown key, is rejected with its line number', async () => {
  const edited = String(lines[1]).replace('"count":3', '"count":4');
  const { used, refused } = await readingOf(`${lines[0]}\n${edited}\n`);
  deepEqual([used, refused.map(({ line }) => line)], [1, [2]]);
  const unknown = await readingOf(`${lines[0]}\n`, { keys: new Map() });
  deepEqual([unknown.used, unknown.refused.length], [0, 1]);
});

test('if anchors are read for only one workspace, other workspaces’ anchors are skipped', async () => {
  equal((await readingOf(lines.join('\n'), { workspaceId: randomUUID() })).used, 0);
});
