// For each framework, the code that connects a process to a project as a node.
import type { SnippetText } from '../../ui/content/snippet.tsx';

type Target = { url: string; projectId: string };

const node = ({ url, projectId }: Target): string => `import { createKeyrail } from '@keyrail/sdk';

const keyrail = createKeyrail({
  url: '${url}',
  secretKey: process.env.KEYRAIL_SECRET_KEY,
  projectId: '${projectId}',
});
await keyrail.ready();
`;

const routes: readonly { name: string; imports: string; route: string }[] = [
  {
    name: 'Express',
    imports: `import { contextOf, protect } from '@keyrail/sdk/express';`,
    route: `app.get('/invoices', protect(keyrail, { scopes: ['invoices:read'] }), (request, response) => {
  response.json({ tenant: contextOf(keyrail, request).tenantId });
});`,
  },
  {
    name: 'Fastify',
    imports: `import { contextOf, protect } from '@keyrail/sdk/fastify';`,
    route: `app.get('/invoices', protect(keyrail, { scopes: ['invoices:read'] }), async (request) => ({
  tenant: contextOf(keyrail, request).tenantId,
}));`,
  },
  {
    name: 'Hono',
    imports: `import { protect } from '@keyrail/sdk/hono';`,
    route: `app.get('/invoices', protect(keyrail, { scopes: ['invoices:read'] }), (c) =>
  c.json({ tenant: c.get('keyrail').tenantId }),
);`,
  },
  {
    name: 'Koa',
    imports: `import { protect } from '@keyrail/sdk/koa';`,
    route: `app.use(protect(keyrail, { scopes: ['invoices:read'] }));
app.use((ctx) => {
  ctx.body = { tenant: ctx.state.keyrail.tenantId };
});`,
  },
  {
    name: 'NestJS',
    imports: `import { contextOf, protect } from '@keyrail/sdk/nest';`,
    route: `@Controller('invoices')
export class InvoicesController {
  @Get()
  @UseGuards(protect(keyrail, { scopes: ['invoices:read'] }))
  list(@Req() request: Request) {
    return { tenant: contextOf(keyrail, request).tenantId };
  }
}`,
  },
  {
    name: 'Next.js',
    imports: `import { protect } from '@keyrail/sdk/next';`,
    route: `export const GET = protect(
  keyrail,
  { scopes: ['invoices:read'], name: '/invoices' },
  (request, { keyrail }) => Response.json({ tenant: keyrail.tenantId }),
);`,
  },
  {
    name: 'node:http',
    imports: `import { createServer } from 'node:http';
import { protect } from '@keyrail/sdk/node';`,
    route: `createServer(
  protect(keyrail, { scopes: ['invoices:read'] }, (request, response, { tenantId }) => {
    response.end(tenantId);
  }),
).listen(3000);`,
  },
];

export const connectSnippets = (target: Target): SnippetText[] =>
  routes.map(({ name, imports, route }) => ({
    name,
    code: `${imports}\n${node(target)}\n${route}`,
  }));
