// The hashed bytes are canonical JSON (RFC 8785), so that anyone can recompute the chain.
import { deepEqual, equal } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { canonicalJson, hashedText } from '@keyrail/protocol/wire/audit-chain.ts';
import fc from 'fast-check';
import { type ChainedRow, canonicalRow, rowHash } from './audit-chain.ts';

type Json = Parameters<typeof canonicalJson>[0];

/** Numbers from the RFC's appendix: their IEEE 754 bits, and their canonical text. */
const numbers: [string, string][] = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
];

for (const [bits, written] of numbers) {
  test(`the number with the bits ${bits} is written as ${written}`, () => {
    equal(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE()), written);
  });
}

const documents: [string, string, string][] = [
  [
    'escaped text',
    String.raw`{"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/"}`,
    String.raw`{"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  ],
  [
    'numbers and literals',
    '{ "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],' +
      ' "literals": [null, true, false] }',
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]}',
  ],
  [
    'members sorted by UTF-16 units, not by code points',
    String.raw`{"\u20ac":"Euro","\r":"CR","\ufb33":"Dalet","1":"One","\ud83d\ude00":"Emoji",` +
      String.raw`"\u0080":"Control","\u00f6":"O"}`,
    '{"\\r":"CR","1":"One","\u0080":"Control","\u00f6":"O","\u20ac":"Euro",' +
      '"\ud83d\ude00":"Emoji","\ufb33":"Dalet"}',
  ],
  [
    'sorted members that look like numbers',
    '{"10":1,"9":2,"a":3,"1":4}',
    '{"1":4,"10":1,"9":2,"a":3}',
  ],
  ['sorted nested members', '{"b":[{"z":1,"y":[]}],"a":{}}', '{"a":{},"b":[{"y":[],"z":1}]}'],
  ['a member with an empty name', '{"a":1,"":2}', '{"":2,"a":1}'],
  ['arrays in their original order', '[3,1,2,"b","a"]', '[3,1,2,"b","a"]'],
  ['unescaped line separators', '["\u2028\u2029\u007f"]', '["\u2028\u2029\u007f"]'],
];

for (const [what, document, canonical] of documents) {
  test(`canonical JSON has ${what}`, () => {
    equal(canonicalJson(JSON.parse(document)), canonical);
  });
}

test('canonical JSON is equivalent to its input, and stable', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const canonical = canonicalJson(value as Json);
      deepEqual(JSON.parse(canonical), JSON.parse(JSON.stringify(value)));
      equal(canonicalJson(JSON.parse(canonical)), canonical);
    }),
  );
});

/**
 * Computes the hash without the server's code: lists every field of the entry, then sorts and joins
 * them by hand.
 */
function hashByHand(row: ChainedRow): string {
  const members: Record<string, string> = {
    workspace_id: JSON.stringify(row.workspaceId),
    seq: String(row.seq),
    id: JSON.stringify(row.id),
    occurred_at: JSON.stringify(row.occurredAt),
    actor_type: JSON.stringify(row.actorType),
    actor_id: JSON.stringify(row.actorId),
    action: JSON.stringify(row.action),
    target_type: JSON.stringify(row.targetType),
    target_id: JSON.stringify(row.targetId),
    payload: row.payload,
    prev_hash: JSON.stringify(row.prevHash),
  };
  const names = Object.keys(members).sort();
  const document = `{${names.map((name) => `"${name}":${members[name]}`).join(',')}}`;
  return createHash('sha256').update(Buffer.from(document, 'utf8')).digest('hex');
}

const anyRow: fc.Arbitrary<ChainedRow> = fc.record({
  workspaceId: fc.uuid(),
  seq: fc.integer({ min: 1 }),
  id: fc.uuid(),
  occurredAt: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') }),
  actorType: fc.constantFrom('user', 'secret_key', 'bootstrap', 'scanner'),
  actorId: fc.option(fc.string({ unit: 'binary' })),
  action: fc.constantFrom('workspace.created', 'api_key.rotated'),
  targetType: fc.constantFrom('workspace', 'api_key'),
  targetId: fc.uuid(),
  payload: fc.dictionary(fc.string(), fc.jsonValue()).map((made) => canonicalJson(made as Json)),
  prevHash: fc.stringMatching(/^[0-9a-f]{64}$/),
});

test("an entry's hash equals one computed independently from its members", () => {
  fc.assert(fc.property(anyRow, (row) => rowHash(row) === hashByHand(row)));
});

test('for a stored entry, the server hashes the same text that clients do', () => {
  fc.assert(
    fc.property(anyRow, (row) => {
      const { seq, id, action, workspaceId } = row;
      const wire = {
        seq,
        id,
        action,
        occurred_at: row.occurredAt.toISOString(),
        actor_type: row.actorType,
        actor_id: row.actorId,
        target_type: row.targetType,
        target_id: row.targetId,
        payload: JSON.parse(row.payload),
        prev_hash: row.prevHash,
      };
      equal(hashedText(wire, workspaceId), canonicalRow(row));
    }),
  );
});

test('the hashed entry is canonical JSON', () => {
  fc.assert(
    fc.property(anyRow, (row) => {
      const document = canonicalRow(row);
      equal(canonicalJson(JSON.parse(document)), document);
    }),
  );
});

test('a given entry always has the same hash', () => {
  const row: ChainedRow = {
    workspaceId: '01890000-0000-7000-8000-000000000001',
    seq: 1,
    id: '01890000-0000-7000-8000-000000000002',
    occurredAt: new Date('2026-01-02T03:04:05.006Z'),
    actorType: 'bootstrap',
    actorId: null,
    action: 'workspace.created',
    targetType: 'workspace',
    targetId: '01890000-0000-7000-8000-000000000001',
    payload: '{"slug":"acme"}',
    prevHash: '0'.repeat(64),
  };
  const document =
    '{"action":"workspace.created","actor_id":null,"actor_type":"bootstrap",' +
    '"id":"01890000-0000-7000-8000-000000000002","occurred_at":"2026-01-02T03:04:05.006Z",' +
    `"payload":{"slug":"acme"},"prev_hash":"${'0'.repeat(64)}","seq":1,` +
    '"target_id":"01890000-0000-7000-8000-000000000001","target_type":"workspace",' +
    '"workspace_id":"01890000-0000-7000-8000-000000000001"}';
  equal(canonicalRow(row), document);
  equal(rowHash(row), createHash('sha256').update(document).digest('hex'));
});
