// The curl commands on the page, generated from the real document.
import { equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { buildOpenApi } from '@keyrail/protocol/openapi.ts';
import { type Operation, readDocument } from './document.ts';
import { curlFor } from './example.ts';

const url = 'https://keys.example.com';
const document = readDocument(buildOpenApi({ url, version: '1.2.3' }));
const operations = document.groups.flatMap((group) => group.operations);

function operationAt(line: string): Operation {
  const found = operations.find(({ method, path }) => `${method} ${path}` === line);
  ok(found, line);
  return found;
}

const curl = (line: string): string => curlFor(operationAt(line), url);

test('a command contains -X only if curl would otherwise use a different method', () => {
  match(curl('GET /v1/workspace'), /^curl https:\/\/keys\.example\.com\/v1\/workspace \\\n/);
  match(curl('POST /v1/secret_keys'), /^curl https:/);
  match(curl('DELETE /v1/projects/{id}'), /^curl -X DELETE https:\S+\/v1\/projects\/\$ID \\\n/);
});

test('a command sends a credential its endpoint accepts', () => {
  match(curl('GET /v1/workspace'), /Bearer \$SECRET_KEY/);
  match(curl('GET /v1/auth/me'), /Bearer \$SESSION/);
  match(curl('POST /v1/workspaces'), /Bearer \$BOOTSTRAP_TOKEN/);
  match(curl('GET /v1/embed/session'), /Bearer \$EMBED_TOKEN" \\\n {2}-H 'origin: https:/);
  equal(curl('GET /healthz'), `curl ${url}/healthz`);
});

test('a command sends required query parameters and headers, but no optional ones', () => {
  match(curl('GET /v1/policy/delta'), /delta\?project_id=\$PROJECT_ID&since=\$SINCE"/);
  match(
    curl('POST /v1/webhooks/scanner/secret_scanning'),
    /-H "scanner-public-key-signature: \$SCANNER_PUBLIC_KEY_SIGNATURE"/,
  );
});

test('a body is unchanged after shell quoting', () => {
  const operation = operationAt('POST /v1/secret_keys/{id}/revoke');
  const { body } = operation;
  ok(body);
  const quoted = curlFor({ ...operation, body: { ...body, example: { reason: "It's out" } } }, url);
  match(quoted, /-d '\{"reason":"It'\\''s out"\}'$/);
});

test('an optional body with an empty example is omitted', () => {
  ok(!curl('POST /v1/tenants/{id}/embed_tokens/revoke').includes('-d '));
});
