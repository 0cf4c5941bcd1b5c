// Verifies an event that Keyrail sent to one of the vendor's endpoints.
import { SECOND_MS } from '@keyrail/protocol/wire/durations.ts';
import { HEADER_CHARS_MAX } from '@keyrail/protocol/wire/header-bounds.ts';
import {
  isSignedWith,
  WEBHOOK_ID,
  WEBHOOK_SIGNATURE,
  WEBHOOK_TIMESTAMP,
  webhookSecretBytes,
} from '@keyrail/protocol/wire/webhook-signature.ts';
import { systemClock } from '../clock.ts';
import { fieldsOf } from '../json.ts';

export type WebhookEvent = {
  /** The same in every retry, so skip an event whose ID you have already processed. */
  id: string;
  /** An audit action such as `api_key.revoked`, or a notice such as `api_key.expiring`. */
  type: string;
  /** When the event happened. */
  timestamp: string;
  /** The audit log entry. */
  data: Record<string, unknown>;
};

export type WebhookFault =
  | 'missing_header'
  | 'invalid_timestamp'
  | 'too_old'
  | 'too_new'
  | 'wrong_signature'
  | 'invalid_body';

/** The request did not come from Keyrail, was altered, or is a replay. Respond with 400. */
export class WebhookRefused extends Error {
  readonly code: WebhookFault;

  constructor(code: WebhookFault, message: string) {
    super(message);
    this.name = 'WebhookRefused';
    this.code = code;
  }
}

type HeaderSource =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export type VerifyWebhookOptions = {
  /** How far the event's timestamp may be from now, in seconds; 300 by default. */
  toleranceSeconds?: number;
  /** Returns the time in milliseconds since 1970; by default, from the system clock. */
  now?: () => number;
};

const TOLERANCE_SECONDS = 300;

/**
 * Returns the event, or throws WebhookRefused. `body` must be the bytes as they were received, not
 * parsed and serialised again. While a secret is being rotated, pass the old or the new one, or
 * both.
 */
// biome-ignore lint/complexity/useMaxParams: three required values, and options
export function verifyWebhook(
  body: string | Uint8Array,
  headers: HeaderSource,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = systemClock.now }: VerifyWebhookOptions = {},
): WebhookEvent {
  const secrets = [secret].flat().map(secretBytes);
  if (secrets.length === 0) throw new TypeError('verifyWebhook needs a secret.');
  const id = headerOf(headers, WEBHOOK_ID);
  const timestamp = timestampOf(headerOf(headers, WEBHOOK_TIMESTAMP));
  const signature = headerOf(headers, WEBHOOK_SIGNATURE);
  const message = { id, timestamp, body };
  if (!secrets.some((each) => isSignedWith(each, signature, message))) {
    throw new WebhookRefused('wrong_signature', 'The webhook has no valid signature.');
  }
  // Checked after the signature, so that the time cannot be probed without the secret.
  const ageSeconds = now() / SECOND_MS - timestamp;
  if (ageSeconds > toleranceSeconds) {
    throw new WebhookRefused('too_old', 'The webhook is too old: it may be a replay.');
  }
  if (ageSeconds < -toleranceSeconds) {
    throw new WebhookRefused('too_new', "The webhook's timestamp is in the future.");
  }
  return eventOf(id, body);
}

function secretBytes(text: string): Buffer {
  const bytes = webhookSecretBytes(text);
  if (!bytes) throw new TypeError('The webhook secret must start with "whsec_".');
  return bytes;
}

function headerOf(headers: HeaderSource, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : plainHeader(headers, name);
  if (typeof value !== 'string' || value === '' || value.length > HEADER_CHARS_MAX.webhook) {
    throw new WebhookRefused('missing_header', `The header ${name} is missing.`);
  }
  return value;
}

/** A plain object's header names may be in any case. */
function plainHeader(headers: object, wanted: string): unknown {
  const [, value] = Object.entries(headers).find(([name]) => name.toLowerCase() === wanted) ?? [];
  return Array.isArray(value) ? value.join(' ') : value;
}

function timestampOf(text: string): number {
  if (!/^\d{1,12}$/.test(text)) {
    throw new WebhookRefused('invalid_timestamp', "The webhook's timestamp is not a number.");
  }
  return Number(text);
}

function eventOf(id: string, body: string | Uint8Array): WebhookEvent {
  const { type, timestamp, ...rest } = fieldsOf(parseJson(body));
  if (typeof type !== 'string' || typeof timestamp !== 'string' || !isRecord(rest.data)) {
    throw new WebhookRefused('invalid_body', "The webhook's body is not an event.");
  }
  return { id, type, timestamp, data: rest.data };
}

function parseJson(body: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString('utf8'));
  } catch {
    return null;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
