// The page can show any OpenAPI document, and nothing in a document becomes markup.
import { equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { referencePage } from './page.ts';

const links = { styleUrl: '/s.css', iconUrl: '/i.svg', documentUrl: '/api.json' };

const foreign = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '3', description: 'All **pets**.\n\n## Names\n\n- `Rex`\n- Tom' },
  servers: [{ url: 'https://pets.example' }],
  tags: [{ name: 'pets', description: 'Of `people`.' }],
  paths: {
    '/pets/{id}': {
      get: {
        operationId: 'readPet',
        tags: ['pets'],
        summary: '<b>Read</b> a pet',
        parameters: [{ in: 'path', name: 'id', required: true, schema: { type: 'integer' } }],
        responses: {
          200: {
            description: 'The pet',
            content: { 'application/json': { schema: { type: 'object' }, example: { id: 1 } } },
          },
        },
      },
    },
  },
};

test('the page can show the OpenAPI document of any API', () => {
  const page = referencePage(foreign, links);
  match(page, /<title>Pets reference<\/title>/);
  match(page, /<p>All <b>pets<\/b>\.<\/p>/);
  match(page, /<section class="prose" id="names"><h2>Names<\/h2><ul><li><code>Rex<\/code>/);
  match(page, /id="readPet"/);
  match(page, /curl https:\/\/pets\.example\/pets\/\$ID/);
  ok(page.includes('&lt;b&gt;Read&lt;/b&gt; a pet'));
});

test('the introduction shows the operation named by x-first-operation as an example', () => {
  ok(!referencePage(foreign, links).includes('A first request'));
  const page = referencePage({ ...foreign, 'x-first-operation': 'readPet' }, links);
  match(page, /A first request: <a href="#readPet">/);
});

test('each operation shows its own descriptions of its errors', () => {
  const document = structuredClone(foreign);
  const refused = { $ref: '#/components/responses/Gone', description: 'Rex is `gone`.' };
  Object.assign(document.paths['/pets/{id}'].get.responses, { 404: refused });
  match(referencePage(document, links), /404<\/a> Rex is <code>gone<\/code>\.<\/p>/);
});

test('an empty document is rendered as an empty page', () => {
  equal(referencePage({}, links).includes('undefined'), false);
});
