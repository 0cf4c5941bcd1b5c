// Which endpoints work in the workspace that a request names.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { allEndpoints } from '../endpoints/all.ts';
import { accepts, type Credential } from './auth.ts';
import { worksInWorkspace } from './workspace-header.ts';

test('an endpoint works in a workspace if it accepts a secret key', () => {
  for (const [line, { auth }] of Object.entries(allEndpoints)) {
    const credentials: readonly Credential[] = accepts[auth];
    equal(worksInWorkspace(line), credentials.includes('secret_key'), line);
  }
});
