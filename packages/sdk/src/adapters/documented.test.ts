// The adapter in docs/frameworks.md passes the same tests as the SDK's own adapters.
import { ok } from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { getRequestListener } from '@hono/node-server';
import { blocksOf, documents } from '@keyrail/testing/documents.ts';
import { adapterSuite, listen, routes } from '../../test/adapter-suite.ts';
import type { OpenContext } from '../api/context.ts';

type Handler = (context: OpenContext) => Promise<Response>;
type Guarded = (request: Request, handler: Handler) => Promise<Response>;
type Documented = { guard(keyrail: object, route: object): Guarded };

const block = documents()
  .flatMap(blocksOf)
  .find(({ code }) => code.includes('keyrail.admit('));
ok(block, 'the adapter was found');

const folder = await mkdtemp(join(tmpdir(), 'kr-adapter-'));
after(() => rm(folder, { recursive: true, force: true }));
await writeFile(join(folder, 'adapter.ts'), block.code);
const { guard }: Documented = await import(join(folder, 'adapter.ts'));

const failing = () => Response.json({}, { status: 500 });

adapterSuite('documented', ({ keyrail, charge }) => {
  const hello = guard(keyrail, routes.hello);
  const open = guard(keyrail, routes.open);
  const charges = guard(keyrail, routes.charges);
  const handlers: Record<string, (request: Request) => Promise<Response>> = {
    hello: (request) =>
      hello(request, async (context) => {
        const name = new URL(request.url).pathname.split('/')[2];
        const remaining = context?.rateLimit?.[0]?.remaining;
        return Response.json({ tenant: context?.tenantId, name, remaining });
      }),
    open: (request) => open(request, async (context) => Response.json({ context })),
    charges: (request) =>
      charges(request, async () => {
        const { status, headers, body } = await charge(await request.text());
        const bytes = body.length === 0 ? null : new Uint8Array(body);
        return new Response(bytes, { status, headers });
      }),
  };
  const fetch = async (request: Request) => {
    const [, route = ''] = new URL(request.url).pathname.split('/');
    return (await handlers[route]?.(request)) ?? new Response(null, { status: 404 });
  };
  return listen(getRequestListener(fetch, { errorHandler: failing }));
});
