// Which endpoints check the workspace that a request specifies.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { allEndpoints } from '../endpoints/all.ts';
import { accepts, type Credential } from './auth.ts';
import { worksInWorkspace } from './workspace-header.ts';

test('the endpoints that work within a workspace are those that accept a secret key', () => {
  for (const [line, { auth }] of Object.entries(allEndpoints)) {
    const credentials: readonly Credential[] = accepts[auth];
    equal(worksInWorkspace(line), credentials.includes('secret_key'), line);
  }
});
