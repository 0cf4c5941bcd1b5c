// If tracing is off, OpenTelemetry costs nothing, because none of its modules are loaded.
import { deepEqual, equal } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

/** Prints how many OpenTelemetry modules are loaded after each import. */
const PROGRAM = `
  import { registerHooks } from 'node:module';
  let loaded = 0;
  registerHooks({
    load(url, context, next) {
      if (url.includes('/@opentelemetry/')) loaded += 1;
      return next(url, context);
    },
  });
  const counts = [];
  for (const path of process.argv.slice(1)) {
    await import(path);
    counts.push(loaded);
  }
  console.log(JSON.stringify(counts));
`;

test('a server loads OpenTelemetry only if tracing is on', () => {
  const modules = [
    'commands/start.ts',
    'db/embedded/embedded.ts',
    'volatile/redis.ts',
    'observe/open-traces.ts',
  ];
  const paths = modules.map((path) => join(import.meta.dirname, '..', path));

  const output = execFileSync(
    process.execPath,
    ['--input-type=module', '--eval', PROGRAM, ...paths],
    { encoding: 'utf8' },
  );

  const [start, embedded, redis, traces] = JSON.parse(output);
  deepEqual([start, embedded, redis], [0, 0, 0]);
  equal(traces > 10, true);
});
