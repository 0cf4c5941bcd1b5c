// Verifies revocation receipts without contacting a server.
import { readFile, stat } from 'node:fs/promises';
import { type ReceiptClaims, type ReceiptKeys, verifyReceipt } from '@keyrail/client';
import type { Command, Group } from '../command.ts';
import { refused, usage } from '../failures.ts';
import { jsonOf } from '../input/given.ts';

/** Large enough for a receipt with 20,000 nodes, which is the maximum. */
const FILE_BYTES_MAX = 8_388_608;

const verify: Command = {
  name: 'verify',
  summary: 'verify a receipt offline',
  args: [{ name: 'file', about: 'receipt file' }],
  options: [{ flags: '--jwks <file>', about: 'a copy of /.well-known/jwks.json', required: true }],
  examples: ['keyrail receipt verify revoked.jws --jwks jwks.json'],
  notes: `Exits with 1 unless the deployment signed exactly this receipt. The keys in --jwks
determine whose signature counts: get them from the deployment over HTTPS, or from
a copy you trust. Nothing is sent.`,
  run: async ({ output }, given) => {
    const receipt = await textIn(given.text('file'));
    const jwks = keysIn(jsonOf('jwks', await textIn(given.text('jwks'))));
    const verdict = await verifyReceipt(receipt, jwks);
    if (!verdict.valid) throw refused(`Invalid receipt. ${verdict.reason}`);
    output.report(verdict, sentenceOf(verdict.claims));
  },
};

export const receipt: Group = {
  name: 'receipt',
  summary: 'signed receipts for revocations',
  commands: [verify],
};

async function textIn(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size <= FILE_BYTES_MAX) return await readFile(path, 'utf8');
  } catch (error) {
    throw usage(`Can't read ${path}: ${error instanceof Error ? error.message : error}`);
  }
  throw usage(`${path} is too large.`);
}

function keysIn(jwks: unknown): ReceiptKeys {
  if (!isObject(jwks) || !Array.isArray(jwks.keys))
    throw usage('The --jwks file contains no keys.');
  const keys = jwks.keys.filter(isObject).map(({ kty, crv, x, kid, purpose }) => ({
    kty: String(kty),
    crv: String(crv),
    x: String(x),
    kid: String(kid),
    purpose: String(purpose),
  }));
  return { keys };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function sentenceOf({ iss, iat, key_id, change, version, nodes, ...more }: ReceiptClaims) {
  const acked = nodes.filter((node) => node.acked).length;
  const at = new Date(iat * 1000).toISOString();
  return [
    `Valid receipt, signed by ${iss} at ${at}.`,
    `Key ${key_id} was ${change} in policy version ${version}, audit entry ${more.audit_seq}.`,
    `${acked} of ${nodes.length} nodes had applied it: ${outcomeOf(more)}.`,
    silenceOf(more),
  ].join(' ');
}

type Reached = Pick<ReceiptClaims, 'complete' | 'incomplete_reason' | 'silent_nodes'>;

const outcomeOf = ({ complete, incomplete_reason: reason }: Reached): string =>
  complete ? 'complete' : `incomplete${reason ? ` (${reason})` : ''}`;

const silenceOf = ({ silent_nodes: silent }: Reached): string =>
  silent === undefined
    ? 'The receipt does not say how many nodes were silent.'
    : `Silent nodes not waited for: ${silent}.`;
