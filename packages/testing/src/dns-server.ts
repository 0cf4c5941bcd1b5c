// A name server on loopback, over UDP, with names that resolve, fail, or never get a response.
import { createSocket } from 'node:dgram';
import { isIPv4 } from 'node:net';
import type { TestContext } from 'node:test';

/** Maps a name to its IPv4 and IPv6 addresses, an alias, a failure, or no response. */
type Zone = Record<string, Found>;
type Found = readonly string[] | { alias: string } | 'servfail' | 'silent';

const isAlias = (found: Found | undefined): found is { alias: string } =>
  typeof found === 'object' && 'alias' in found;

/** Names with this ending get no response, so that a test can query many of them. */
export const SILENT = '.silent.test';

type NameServer = {
  /** Address and port, in the format that a resolver expects. */
  server: string;
  /** Every query received, as `name type`. */
  asked: string[];
  /** Changes what names resolve to. */
  change(zone: Zone): void;
};

const TYPES = { A: 1, CNAME: 5, AAAA: 28 } as const;
const HEADER_BYTES = 12;
const NO_ERROR = 0;
const SERVFAIL = 2;
const NXDOMAIN = 3;

type Question = { id: Buffer; name: string; type: number; asked: Buffer };

export async function openNameServer(t: TestContext, zone: Zone): Promise<NameServer> {
  let names = zone;
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, { port, address }) => {
    const question = questionIn(message);
    asked.push(`${question.name} ${question.type === TYPES.AAAA ? 'AAAA' : 'A'}`);
    const reply = replyTo(question, names);
    if (reply) socket.send(reply, port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  t.after(() => socket.close());
  return {
    server: `127.0.0.1:${socket.address().port}`,
    asked,
    change: (other) => {
      names = other;
    },
  };
}

function questionIn(message: Buffer): Question {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  while (message.readUInt8(at) > 0) {
    const length = message.readUInt8(at);
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const end = at + 5;
  return {
    id: message.subarray(0, 2),
    name: labels.join('.').toLowerCase(),
    type: message.readUInt16BE(at + 1),
    asked: message.subarray(HEADER_BYTES, end),
  };
}

/** Returns the response to a query; null to send none. */
function replyTo({ id, name, type, asked }: Question, zone: Zone): Buffer | null {
  const found = zone[name];
  if (found === 'silent' || name.endsWith(SILENT)) return null;
  const answers: Buffer[] = [];
  let owner = name;
  if (isAlias(found)) {
    answers.push(record(owner, TYPES.CNAME, encodedName(found.alias)));
    owner = found.alias;
  }
  const addresses = zone[owner];
  for (const address of Array.isArray(addresses) ? (addresses as string[]) : []) {
    const family = isIPv4(address) ? TYPES.A : TYPES.AAAA;
    if (family === type) answers.push(record(owner, type, encodedAddress(address)));
  }
  const code = found === undefined ? NXDOMAIN : found === 'servfail' ? SERVFAIL : NO_ERROR;
  const counts = Buffer.alloc(8);
  counts.writeUInt16BE(1, 0);
  counts.writeUInt16BE(answers.length, 2);
  return Buffer.concat([id, Buffer.from([0x81, 0x80 | code]), counts, asked, ...answers]);
}

function record(owner: string, type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodedName(owner), head, data]);
}

const encodedName = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`)),
    Buffer.from([0]),
  ]);

/** An IPv6 address must be written in full here, with all eight groups. */
const encodedAddress = (address: string): Buffer =>
  isIPv4(address)
    ? Buffer.from(address.split('.').map(Number))
    : Buffer.from(
        address
          .split(':')
          .map((group) => group.padStart(4, '0'))
          .join(''),
        'hex',
      );
