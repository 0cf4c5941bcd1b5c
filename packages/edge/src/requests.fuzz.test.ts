// Sends random and hostile bytes in every header that Edge reads, over real sockets. Edge must
// always respond, never crash, and allow only the genuine key. To repeat a run, set FUZZ_SEED.
import { equal, ok } from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { createTestKeyrail } from '@keyrail/sdk/testing';
import { type Chance, chanceOf, oneOf, upTo } from '@keyrail/testing/seeded-chance.ts';
import { createListener } from './answer-requests.ts';
import { readAllHeaders } from './too-many-headers.ts';

const SEED = Number(process.env.FUZZ_SEED ?? 1);
const REQUESTS = 1_000;
const AT_ONCE = 25;
const VALUE_BYTES_MAX = 64 * 1024;

const NAMES = [
  'authorization',
  'x-api-key',
  'x-forwarded-method',
  'x-forwarded-uri',
  'x-request-id',
  'idempotency-key',
  'traceparent',
  'connection',
  'content-length',
  'transfer-encoding',
  'expect',
  'via',
];

/** Lengths close to a limit are chosen most often. */
const lengthIn = (chance: Chance): number =>
  oneOf(chance, [0, 1, 7, 8, 60, 61, 255, 519, 520, 1_024, upTo(chance, 400), VALUE_BYTES_MAX]);

const repeated = (text: string, length: number): string =>
  text.repeat(Math.ceil(length / text.length)).slice(0, length);

type Values = Record<string, (chance: Chance, genuine: string) => string>;

const values: Values = {
  bytes: (chance) =>
    Array.from({ length: Math.min(lengthIn(chance), 2_000) }, () =>
      String.fromCharCode(upTo(chance, 255)),
    ).join(''),
  printable: (chance) =>
    repeated(oneOf(chance, ['a', '%', ',', '"', '\\', 'é', '~']), lengthIn(chance)),
  blanks: (chance) => `x${repeated(oneOf(chance, [' ', '\t', ' \t']), lengthIn(chance))}y`,
  schemes: (chance) =>
    `Bearer ${repeated(oneOf(chance, ['Bearer ', ' ', 'a b ']), lengthIn(chance))}x`,
  altered: (chance, genuine) => {
    const at = upTo(chance, genuine.length - 1);
    const others = ['x', 'y', ' ', '\xff', '=', 'K'].filter((one) => one !== genuine[at]);
    const other = oneOf(chance, others);
    return `${genuine.slice(0, at)}${other}${genuine.slice(at + 1)}`;
  },
  longer: (chance, genuine) =>
    genuine + oneOf(chance, ['\0', 'a', ',', ` ${genuine}`, '%20', '\xa0']),
  shorter: (chance, genuine) => genuine.slice(0, upTo(chance, genuine.length - 1)),
  folded: () => 'a\r\n b',
  injected: () => 'a\r\nx-injected: b',
  numbers: (chance) =>
    oneOf(chance, ['-1', '0', '1', '1e3', '0x1', '99999999999999999999', '3, 3']),
  uris: (chance) =>
    oneOf(chance, ['/%zz', '//', '/?'.repeat(500), '/\xff', 'http://a/b', '*', '/..']),
};

type Asked = { text: string; isGenuine: boolean };

/**
 * Generates a random request. It is considered genuine if the key is intact and no other header
 * contains a credential.
 */
function requestIn(chance: Chance, key: string): Asked {
  const isVerify = chance() < 0.3;
  const isGenuine = chance() < 0.15;
  const lines: string[] = [];
  const harmless = NAMES.filter(
    (name) => name.startsWith('x-forwarded') || name === 'x-request-id',
  );
  const names = isGenuine ? harmless : NAMES;
  for (let count = upTo(chance, 4); count > 0; count -= 1) {
    const name = oneOf(chance, names);
    const made = oneOf(chance, isGenuine ? [values.printable, values.uris] : Object.values(values));
    const prefix = name === 'authorization' && chance() < 0.7 ? 'Bearer ' : '';
    lines.push(`${name}: ${prefix}${made?.(chance, key) ?? ''}`);
  }
  const tail = 'connection: close\r\n';
  if (isVerify) {
    const text = isGenuine ? key : oneOf(chance, Object.values(values))(chance, key);
    const body = Buffer.from(JSON.stringify({ key: text })).toString('latin1');
    const head = `POST /v1/verify HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n${tail}`;
    return { text: `${head}${lines.map((line) => `${line}\r\n`).join('')}\r\n${body}`, isGenuine };
  }
  if (isGenuine) lines.push(`x-api-key: ${key}`);
  const path = oneOf(chance, ['/auth', '/auth?route=/x', '/envoy//~/a', '/envoy//~/?b']);
  return {
    text: `GET ${path} HTTP/1.1\r\nhost: x\r\n${tail}${lines.map((line) => `${line}\r\n`).join('')}\r\n`,
    isGenuine,
  };
}

const exchanged = (port: number, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(text, 'latin1')).setEncoding(
      'latin1',
    );
    let received = '';
    socket.on('data', (part: string) => {
      received += part;
    });
    socket.setTimeout(20_000, () => reject(new Error('no answer')));
    socket.on('error', () => {}).on('close', () => resolve(received));
  });

const isAllowed = (answer: string): boolean =>
  answer.includes('"allowed":true') || /^x-keyrail-key-id: \S/im.test(answer);

test('Edge responds to any hostile header, and allows only the genuine key', async (t) => {
  const keyrail = await createTestKeyrail();
  t.after(() => keyrail.close());
  const { key } = await keyrail.issue();
  const listener = createListener({
    keyrail,
    defaults: { onNoPolicy: 'deny', onLimitsUnreachable: 'allow' },
    warn: () => {},
    relay: null,
    isTrusted: () => true,
  });
  const server = createServer({ maxHeaderSize: 2 * 1024 * 1024 }, listener);
  readAllHeaders(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const chance = chanceOf(SEED);
  let allowed = 0;
  for (let sent = 0; sent < REQUESTS; sent += AT_ONCE) {
    const asked = Array.from({ length: AT_ONCE }, () => requestIn(chance, key));
    const answers = await Promise.all(asked.map(({ text }) => exchanged(port, text)));
    for (const [at, answer] of answers.entries()) {
      const { text = '', isGenuine } = asked[at] ?? {};
      const shown = `seed ${SEED}: ${JSON.stringify(text.slice(0, 300))} → ${answer.slice(0, 300)}`;
      ok(/^HTTP\/1\.1 (200|400|401|403|417|431|503) /.test(answer), shown);
      equal(isAllowed(answer), isGenuine, shown);
      allowed += Number(isGenuine);
    }
  }
  ok(allowed > REQUESTS / 20, `only ${allowed} genuine requests`);
});
