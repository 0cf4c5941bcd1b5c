// A mail server on loopback that accepts emails or fails like real ones: it rejects them, stalls,
// or disconnects just before responding with "accepted", or whenever the test says so.
import { once } from 'node:events';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';

type Manner = 'accept' | 'refuse' | 'stall' | 'cut before';

type Letter = {
  from: string;
  to: string[];
  /** Headers by lowercase name; if a name occurs more than once, the last one is kept. */
  headers: Record<string, string>;
  /** The decoded parts, by content type. */
  parts: Record<string, string>;
};

export type Sink = {
  url(credentials?: string): string;
  /** Every email received in full, even if its sender got no response. */
  letters: Letter[];
  behave(manner: Manner): void;
  /** Sends "accepted" to all stalled senders. */
  relent(): void;
  /** Resets all connections. */
  cut(): void;
  /** Closes the server; `open` opens it again at the same address. */
  close(): Promise<void>;
  open(): Promise<void>;
};

export async function openSink(options: SMTPServerOptions = {}): Promise<Sink> {
  let manner: Manner = 'accept';
  let port = 0;
  let server: SMTPServer;
  let unanswered: (() => void)[] = [];
  const letters: Letter[] = [];

  const cut = ({ id }: Partial<SMTPServerSession> = {}) => {
    for (const each of server.connections) {
      if (id === undefined || each.id === id) each._socket.resetAndDestroy();
    }
  };
  const answer = (session: SMTPServerSession, accept: () => void) => {
    if (manner === 'cut before') return cut(session);
    if (manner === 'stall') return void unanswered.push(accept);
    accept();
  };

  async function open(): Promise<void> {
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      logger: false,
      onRcptTo: (_address, _session, done) =>
        done(manner === 'refuse' ? Object.assign(new Error('no'), { responseCode: 451 }) : null),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          letters.push(letterOf(Buffer.concat(chunks).toString('utf8'), session));
          answer(session, () => done(null, 'taken'));
        });
      },
      ...options,
    });
    server.on('error', () => {}); // a sender may be killed while it is connected
    const listening = server.listen(port, '127.0.0.1');
    await once(listening, 'listening');
    const address = listening.address();
    port = typeof address === 'object' && address ? address.port : 0;
  }

  await open();
  return {
    url: (credentials = '') => `smtp://${credentials && `${credentials}@`}127.0.0.1:${port}`,
    letters,
    behave: (next) => {
      manner = next;
    },
    relent: () => {
      for (const accept of unanswered) accept();
      unanswered = [];
    },
    cut: () => cut(),
    close: () => {
      for (const each of server.connections) each._socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
    open,
  };
}

function letterOf(raw: string, { envelope }: SMTPServerSession): Letter {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const headers = headersIn(head);
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1];
  const inner = boundary ? rest.join('\r\n\r\n').split(`--${boundary}`).slice(1, -1) : [raw];
  return {
    from: envelope.mailFrom ? envelope.mailFrom.address : '',
    to: envelope.rcptTo.map(({ address }) => address),
    headers,
    parts: Object.fromEntries(inner.map(partOf)),
  };
}

function partOf(text: string): [type: string, body: string] {
  const [head = '', ...rest] = text.trimStart().split('\r\n\r\n');
  const headers = headersIn(head);
  const type = headers['content-type']?.split(';')[0] ?? '';
  return [type, decoded(rest.join('\r\n\r\n'), headers['content-transfer-encoding'] ?? '7bit')];
}

function headersIn(head: string): Record<string, string> {
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(':');
      return [name.toLowerCase(), value.join(':').trim()];
    }),
  );
}

function decoded(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
