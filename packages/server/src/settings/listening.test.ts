// Where the port comes from: KEYRAIL_PORT, then PORT, then the default.
import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../config.ts';

for (const [env, port, portFrom] of [
  [{ KEYRAIL_PORT: '1' }, 1, 'KEYRAIL_PORT'],
  [{ KEYRAIL_PORT: '65535' }, 65_535, 'KEYRAIL_PORT'],
  [{ PORT: '8080' }, 8080, 'PORT'],
  [{ PORT: '8080', KEYRAIL_PORT: '' }, 8080, 'PORT'],
  [{ PORT: '8080', KEYRAIL_PORT: '80' }, 80, 'KEYRAIL_PORT'],
  [{ PORT: 'x', KEYRAIL_PORT: '80' }, 80, 'KEYRAIL_PORT'],
  [{ PORT: '' }, 4400, null],
] as const) {
  test(`with the settings ${JSON.stringify(env)}, the port is ${port}`, () => {
    const read = readConfig(env);
    ok('config' in read);
    const { listening } = read.config;
    deepEqual([listening.port, listening.portFrom], [port, portFrom]);
  });
}

test('an invalid port is reported with the name of the variable it came from', () => {
  const read = readConfig({ PORT: '70000' });
  deepEqual('faults' in read && read.faults, ['PORT must be a whole number, 0 to 65535: 70000']);
});
