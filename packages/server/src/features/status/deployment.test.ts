// The details that a deployment makes public.
import { deepEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { harness } from '@keyrail/testing/harness.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import { Secret } from '../../base/secret.ts';

const packageFile = join(import.meta.dirname, '../../../package.json');

test('anyone can see a deployment’s version, settings and kind of email transport', async (t) => {
  const app = await harness(t);
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8'));
  const { app: beside } = appBeside(t, app.testApp, {
    region: 'eu-1',
    publicUrl: 'https://keys.example.com',
    passwordCharsMin: 15,
    mail: { kind: 'smtp', url: new Secret('smtp://person:password@mail.example.com') },
    backup: { tasks: null, everyMs: null, place: 'outside', operatorEmail: null },
  });
  const answer = await beside.http.inject({ url: '/v1/deployment' });
  deepEqual(answer.json(), {
    object: 'deployment',
    version,
    region: 'eu-1',
    public_url: 'https://keys.example.com',
    password_min: 15,
    mail: 'smtp',
    backups: 'outside',
  });
});
