import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import type { RequestContext } from '../api/context.ts';
import { createTestKeyrail, type TestKeyrail } from '../testing.ts';
import { contextOf } from './handler-context.ts';
import { protect } from './web.ts';

const FIELDS = `keyId workspaceId projectId tenantId env scopes displayPrefix expiresAt degraded
  verified rateLimit resources`.split(/\s+/);

type Given = { keyrail: TestKeyrail<object>; context: RequestContext; tenantId: string };

async function given(t: TestContext): Promise<Given> {
  const options = { keys: [{ scopes: ['a'] }], resources: { live: { password: 'hidden' } } };
  const keyrail = await createTestKeyrail(options);
  t.after(() => keyrail.close());
  const [issued = { key: '', tenantId: '' }] = keyrail.keys;
  const found: RequestContext[] = [];
  const handler = protect(keyrail, {}, (_request, context) => {
    found.push(context);
    return new Response();
  });
  await handler(new Request('http://x.test', { headers: { 'x-api-key': issued.key } }));
  const [context] = found;
  if (!context) throw new Error('the handler did not run');
  return { keyrail, context, tenantId: issued.tenantId };
}

test('a context and its copy have exactly the documented fields', async (t) => {
  const { context, tenantId } = await given(t);
  deepEqual(Object.keys(context), FIELDS);
  equal({ ...context }.tenantId, tenantId);
  equal({ ...context }.scopes.has('a'), true);
});

test('a context from verify and its copy have the same fields', async (t) => {
  const keyrail = await createTestKeyrail({ keys: [{ scopes: ['a'] }] });
  t.after(() => keyrail.close());
  const [issued = { key: '', keyId: '', tenantId: '' }] = keyrail.keys;
  const decision = keyrail.verify(issued.key);
  ok(decision.allowed);
  const { context } = decision;
  equal(decision.context, context);
  deepEqual(Object.keys(context), FIELDS);
  const { keyId, tenantId, verified } = { ...context };
  deepEqual([keyId, tenantId, verified], [issued.keyId, issued.tenantId, true]);
  equal(JSON.parse(JSON.stringify(decision)).context.tenantId, issued.tenantId);
});

test('contextOf returns a verified context and throws without one', async (t) => {
  const { keyrail, context } = await given(t);
  equal(contextOf(keyrail, { keyrail: context }), context);
  const unverified = { ...context, verified: false };
  for (const request of [{}, { keyrail: null }, { keyrail: unverified }]) {
    throws(() => contextOf(keyrail, request), TypeError);
  }
});

test('contextOf accepts only contexts of keys verified by the given node', async (t) => {
  const one = await given(t);
  const other = await given(t);
  equal(contextOf(one.keyrail, { keyrail: one.context }), one.context);
  const forged = { ...one.context, tenantId: other.tenantId };
  for (const context of [other.context, forged, { verified: true }]) {
    throws(() => contextOf(one.keyrail, { keyrail: context }), TypeError);
  }
});

test("a printed context shows everything except the vendor's resources", async (t) => {
  const { context, tenantId } = await given(t);
  const printed = JSON.parse(JSON.stringify(context));
  deepEqual(
    Object.keys(printed),
    FIELDS.filter((name) => name !== 'resources'),
  );
  deepEqual([printed.tenantId, printed.scopes], [tenantId, ['a']]);
  equal(inspect(context).includes('hidden'), false);
});
