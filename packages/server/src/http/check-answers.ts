// Checks every response against its endpoint's declaration. Enabled in tests.
import { Impact } from '@keyrail/protocol/objects/impact.ts';
import { assert } from '../base/assert.ts';
import { JsonText } from '../base/json-text.ts';
import { apiErrorOf } from './faults.ts';
import type { ServedRoute } from './route.ts';

type Answered = { status: number; body: unknown };

/** Turns a conflict that the endpoint doesn't declare into a server error. */
export function checkedRefusal({ endpoint, line }: ServedRoute, thrown: unknown): unknown {
  const { code, message } = apiErrorOf(thrown);
  if (code !== 'conflict' || endpoint.refusals?.[409] !== undefined) return thrown;
  return new Error(`${line}: undeclared conflict: ${message}`);
}

export function checkAnswer(
  { endpoint, line }: ServedRoute,
  { status, body }: Answered,
  isDryRun: boolean,
): void {
  const schema = isDryRun ? Impact : endpoint.answers[status];
  assert(schema !== undefined, `${line}: undeclared response status ${status}`);
  if (schema === null) return;
  const parsed = schema.safeParse(body instanceof JsonText ? JSON.parse(body.text) : body);
  assert(parsed.success, `${line}: response does not match its schema: ${parsed.error?.message}`);
}
