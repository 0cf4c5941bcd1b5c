// Forwards events to an app on this machine, for development without a public URL. It reads the
// audit log and signs an event for each entry as the server would, but with a new secret.
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Item } from '@keyrail/client';
import { isEventFilter, isEventOf } from '@keyrail/protocol/wire/event-types.ts';
import { WEBHOOK_SECRET_BYTES } from '@keyrail/protocol/wire/limits.ts';
import {
  WEBHOOK_ID,
  WEBHOOK_SIGNATURE,
  WEBHOOK_TIMESTAMP,
  webhookSecretBytes,
  webhookSecretOf,
  webhookSignature,
} from '@keyrail/protocol/wire/webhook-signature.ts';
import type { Command } from '../command.ts';
import type { Context } from '../context.ts';
import { usage } from '../failures.ts';
import type { Given } from '../input/given.ts';

type AuditRow = Item<'GET /v1/audit_logs'>;

const POLL_MS = 1000;
const PAGE_ROWS_MAX = 200;
const ANSWER_MS_MAX = 15_000;
const SECRET_VARIABLE = 'KEYRAIL_WEBHOOK_SECRET';

export const webhookListen: Command = {
  name: 'listen',
  summary: 'forward events to an app on this machine',
  options: [
    { flags: '--forward-to <url>', about: 'URL to send events to', required: true },
    {
      flags: '--event <type>',
      about: 'only these events, such as "api_key.*"; repeatable',
      repeat: true,
    },
    { flags: '--max <n>', about: 'stop after this many events' },
  ],
  examples: [
    'keyrail webhooks listen --forward-to http://localhost:3000/hook',
    'keyrail webhooks listen --forward-to http://localhost:3000/hook --event "api_key.*"',
  ],
  notes: `Forwards every new change until you stop it, signed the way the server signs
events. No endpoint has to be registered, and nothing is retried. Notices such as
api_key.expiring are not forwarded. The signing secret is printed at the start; to
use your own, set ${SECRET_VARIABLE}.`,
  run: async (context, given) => {
    const target = targetOf(given);
    const filters = filtersOf(given);
    const { text, bytes } = secretOf(context);
    const client = context.client();
    let seq = await lastSeq(client);
    context.output.note(`Signing secret: ${text}`);
    context.output.note(`Forwarding events to ${target}.`);
    let left = given.number('max') ?? Number.POSITIVE_INFINITY;
    while (left > 0) {
      const rows = await rowsAfter(client, seq);
      for (const row of rows) {
        seq = row.seq;
        if (left === 0 || !filters.some((filter) => isEventOf(filter, row.action))) continue;
        await forward(context, row, { target, secret: bytes });
        left -= 1;
      }
      if (left > 0 && rows.length < PAGE_ROWS_MAX) await sleep(POLL_MS);
    }
  },
};

function targetOf(given: Given): URL {
  const text = given.text('forwardTo');
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw usage('--forward-to must be a URL such as http://localhost:3000/hook.');
}

function filtersOf(given: Given): string[] {
  const filters = given.list('event') ?? ['*'];
  const unknown = filters.find((filter) => !isEventFilter(filter));
  if (unknown === undefined) return filters;
  throw usage(`Unknown event "${unknown}".`, 'See docs/events.md for the full list.');
}

function secretOf({ terminal }: Context): { text: string; bytes: Buffer } {
  const text = terminal.env[SECRET_VARIABLE] ?? webhookSecretOf(randomBytes(WEBHOOK_SECRET_BYTES));
  const bytes = webhookSecretBytes(text);
  if (bytes) return { text, bytes };
  throw usage(`${SECRET_VARIABLE} isn't a signing secret. Signing secrets start with whsec_.`);
}

async function lastSeq(client: Client): Promise<number> {
  const query = { order: 'desc', limit: 1 } as const;
  const newest = await client.call('GET /v1/audit_logs', { query });
  return newest.data[0]?.seq ?? 0;
}

async function rowsAfter(client: Client, seq: number): Promise<AuditRow[]> {
  const query = { after_seq: seq, order: 'asc', limit: PAGE_ROWS_MAX } as const;
  return (await client.call('GET /v1/audit_logs', { query })).data;
}

type Target = { target: URL; secret: Buffer };

async function forward(
  { output, now }: Context,
  row: AuditRow,
  { target, secret }: Target,
): Promise<void> {
  const body = JSON.stringify({ type: row.action, timestamp: row.occurred_at, data: row });
  const id = createHash('sha256').update(`listen ${row.id}`).digest('hex').slice(0, 32);
  const began = now().getTime();
  const timestamp = Math.floor(began / 1000);
  const status = await fetch(target, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [WEBHOOK_ID]: id,
      [WEBHOOK_TIMESTAMP]: String(timestamp),
      [WEBHOOK_SIGNATURE]: webhookSignature(secret, { id, timestamp, body }),
    },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  }).then(
    async (response) => {
      await response.body?.cancel();
      return response.status;
    },
    () => null,
  );
  const ms = Math.round(now().getTime() - began);
  output.part({
    json: { seq: row.seq, type: row.action, id, status, ms },
    ids: [row.id],
    sentence: `${row.seq} ${row.action} → ${status ?? 'no response'} (${ms} ms)`,
  });
}
