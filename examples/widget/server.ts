// A vendor's backend: it serves a page to signed-in customers and creates tokens for them.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createClient } from '@keyrail/client';
import { announce, options, port } from '../settings.ts';

const client = createClient({ url: options.url, token: options.secretKey });
const page = await readFile(new URL('page.html', import.meta.url), 'utf8');

/** Replace this with your own sign-in: it maps each session to a customer's tenant ID. */
const sessions = new Map([['demo', process.env.KEYRAIL_TENANT_ID ?? '']]);

const server = createServer(async (request, response) => {
  if (request.method === 'GET' && request.url === '/') {
    response.setHeader('set-cookie', 'session=demo; HttpOnly; SameSite=Strict');
    response.setHeader('content-type', 'text/html; charset=utf-8');
    return response.end(page.replace('{{url}}', options.url));
  }
  const [, session = ''] = /(?:^|; )session=(\w+)/.exec(request.headers.cookie ?? '') ?? [];
  const tenant_id = sessions.get(session);
  if (request.method !== 'POST' || request.url !== '/api/keyrail-token' || !tenant_id) {
    return response.writeHead(404).end();
  }
  const scopes = ['keys:read', 'keys:write', 'key_scope:invoices:read'];
  const token = await client
    .call('POST /v1/embed_tokens', {
      body: { project_id: options.projectId, env: 'live', tenant_id, scopes },
    })
    .catch(() => null);
  if (token === null) return response.writeHead(502).end();
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(token));
});

server.listen(port, '127.0.0.1', () => announce(Object(server.address()).port));
