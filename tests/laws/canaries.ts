// A workspace with a mark in every string that its callers can write. If a mark appears in another
// workspace's response, data has leaked.
import type { AnyLine } from '@keyrail/protocol/endpoints/all.ts';
import type { JsonObject } from '@keyrail/protocol/json-schema.ts';
import { type Answer, type Harness, type Input, Refusal } from '@keyrail/testing/harness.ts';
import { fieldsOf } from './inputs.ts';
import { anyIds, endpointOf, fixtureOf, isWrite, served } from './lines.ts';

export type Marked = { app: Harness; canary: string; ids: Set<string>; marks: number };

/** Fields that accept free text. Other fields, such as tokens and passwords, keep their value. */
const FREE_TEXT = /^(name|slug|external_id|reason|email|billing_email|meta|scopes|embed_origins)$/;

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

export const idsIn = (text: string): string[] => text.match(UUID) ?? [];

function markFor({ type, format, anyOf }: JsonObject, canary: string): unknown {
  if (Array.isArray(anyOf)) return markFor(anyOf[0], canary);
  if (type === 'array') return [canary];
  if (type === 'object') return { note: canary, [canary]: [canary] };
  return format === 'email' ? `${canary}@example.com` : canary;
}

let marks = 0;

/** Returns the input with a unique mark in every free-text field. */
function marked(line: AnyLine, input: Input, canary: string): Input {
  const result = { ...input };
  for (const { name, part, schema } of fieldsOf(line)) {
    if (part !== 'body' || !FREE_TEXT.test(name)) continue;
    marks += 1;
    const mark = `${canary}-${marks}`;
    result[name] = name === 'embed_origins' ? [`https://${mark}.example`] : markFor(schema, mark);
  }
  return result;
}

/** Calls every endpoint that writes, with marks in its input, and collects every ID returned. */
export async function markedWorkspace(app: Harness, canary: string): Promise<Marked> {
  const ids = new Set([app.workspaceId]);
  let taken = 0;
  // Nothing is deleted, because lists leave out deleted objects, and with them the marks in their
  // text.
  for (const line of served.filter((each) => isWrite(each) && !each.startsWith('DELETE'))) {
    const { caller } = fixtureOf(line);
    if (caller !== 'liveKey' && caller !== 'owner' && caller !== 'embed') continue;
    const plain = await fixtureOf(line).input(app);
    const answer = await app.as[caller](line, marked(line, plain, canary)).catch((error) => {
      if (!(error instanceof Refusal)) throw error;
      return app.as[caller](line, plain);
    });
    const text = JSON.stringify(answer);
    if (text.includes(canary)) taken += 1;
    for (const id of idsIn(text)) ids.add(id);
  }
  for (const answer of await ownLists(app)) {
    for (const id of idsIn(answer.text)) ids.add(id);
  }
  return { app, canary, ids, marks: taken };
}

/** Lists that can be requested without an ID. */
const plainLists = served.filter(
  (line) => endpointOf(line).list && Object.keys(anyIds(line)).length === 0,
);

/** Requests every list of a workspace, as callers that have access to it. */
export async function ownLists({ ask, tokens, people, embed }: Harness): Promise<Answer[]> {
  const app: Record<string, Record<string, string>> = {
    session: { authorization: `Bearer ${(await people.owner()).token}` },
    embed: (await embed()).headers,
  };
  const vendor = { authorization: `Bearer ${tokens.liveKey}` };
  return Promise.all(plainLists.map((line) => ask(line, {}, app[endpointOf(line).auth] ?? vendor)));
}

/**
 * Returns state that must not change when another workspace acts: the audit log's latest hash, and
 * the length of each list.
 */
export async function digestOf(app: Harness): Promise<unknown> {
  const { head_hash: head } = await app.as.liveKey('GET /v1/audit_logs/chain');
  const counts = (await ownLists(app)).map(({ body }) =>
    Array.isArray(body.data) ? body.data.length : body,
  );
  return { head, counts };
}
