// Checks the public URL: whether it points to this deployment, and what the server there reports.
import { isUnencrypted } from '@keyrail/protocol/wire/base-url.ts';
import { SECOND_MS } from '../base/duration.ts';
import { reasonOf } from '../base/errors.ts';
import { fault, fine, type Outcome, warning } from './finding.ts';
import type { Inspection } from './inspection.ts';

const ANSWER_MS_MAX = 8 * SECOND_MS;
const BODY_CHARS_MAX = 1_000_000;

type UrlParts = { publicUrl: string; isConfigured: boolean; region: string };

export async function checkPublicUrl(parts: UrlParts): Promise<Outcome[]> {
  const { publicUrl, isConfigured, region } = parts;
  const answer = await asked(`${publicUrl}/healthz`);
  if ('reason' in answer) {
    // Without the setting, the URL points to this machine, where the server may not be running yet.
    const report = isConfigured ? fault : warning;
    return [
      report(
        `Can't reach ${publicUrl}: ${answer.reason}`,
        'Start the server, or fix KEYRAIL_PUBLIC_URL, its DNS name, its certificate or the proxy.',
      ),
    ];
  }
  if (answer.status >= 300 && answer.status < 400) {
    return [
      fault(
        `${publicUrl} redirects to ${answer.location}.`,
        'Set KEYRAIL_PUBLIC_URL to the final URL, after redirects.',
      ),
    ];
  }
  if (answer.body.status !== 'ok' || typeof answer.body.region !== 'string') {
    return [
      fault(
        `${publicUrl} responds with status ${answer.status}, but it isn't Keyrail.`,
        'Make sure the proxy forwards every path to the server.',
      ),
    ];
  }
  const found = [
    ...(answer.body.region === region
      ? []
      : [regionWarning(publicUrl, answer.body.region, region)]),
    ...(isUnencrypted(publicUrl) ? [plainWarning(publicUrl)] : []),
    ...(await componentFaults(publicUrl)),
  ];
  return found.length > 0 ? found : [fine(`${publicUrl} is reachable.`)];
}

/**
 * Checks that the server at the URL publishes this database's keys. An unreachable URL is a
 * separate finding.
 */
export async function checkPublishedKeys(
  inspection: Inspection,
  publicUrl: string | null,
): Promise<Outcome[]> {
  const answer = publicUrl === null ? null : await asked(`${publicUrl}/.well-known/jwks.json`);
  if (answer === null || 'reason' in answer || !Array.isArray(answer.body.keys)) return [];
  const served = answer.body.keys.map(({ kid }) => String(kid));
  const known = await inspection.queryAs<{ id: string }>(
    'kr_worker',
    'select id from signing_keys',
  );
  if (served.length === 0 || known.some(({ id }) => served.includes(id))) return [];
  return [
    fault(
      `${publicUrl} publishes different signing keys, so it points to another deployment.`,
      'Fix KEYRAIL_PUBLIC_URL or DATABASE_URL so that both belong to the same deployment.',
    ),
  ];
}

const regionWarning = (url: string, found: string, expected: string): Outcome =>
  warning(
    `The server at ${url} is in region ${found}, but KEYRAIL_REGION is ${expected}.`,
    'Check that the URL points to this deployment, and set KEYRAIL_REGION in all processes.',
  );

const plainWarning = (url: string): Outcome =>
  warning(
    `${url} isn't encrypted, so credentials can be intercepted.`,
    'Put a proxy with TLS in front of the server, and set KEYRAIL_PUBLIC_URL to its https: URL.',
  );

/**
 * Reports the components that the running server's /status shows as faulty, even if this command
 * can't open the store.
 */
async function componentFaults(publicUrl: string): Promise<Outcome[]> {
  const answer = await asked(`${publicUrl}/status`);
  if ('reason' in answer) return [];
  const { components } = answer.body;
  if (typeof components !== 'object' || components === null) return [];
  return Object.entries(components).flatMap(([name, state]) => {
    if (state !== 'degraded' && state !== 'down') return [];
    const report = state === 'down' ? fault : warning;
    return [
      report(
        `The running server reports ${name} as ${state}.`,
        `See the server's log, and the findings about ${name}.`,
      ),
    ];
  });
}

type Answer = { status: number; location: string; body: Record<string, unknown> };

/** A body that isn't a JSON object counts as empty. */
async function asked(url: string): Promise<Answer | { reason: string }> {
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
    const text = await textOf(response);
    const location = response.headers.get('location') ?? '';
    return { status: response.status, location, body: objectIn(text) };
  } catch (error) {
    // fetch's own message is only "fetch failed".
    return { reason: reasonOf(error instanceof Error ? (error.cause ?? error) : error) };
  }
}

/** Reads only the beginning of the body. */
async function textOf({ body }: Response): Promise<string> {
  let text = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.length > BODY_CHARS_MAX) break;
  }
  return text;
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
