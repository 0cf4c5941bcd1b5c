// The compressed script stays within its size budget.
import { ok } from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const SCRIPT_KB_MAX = 30;
const script = join(import.meta.dirname, '../../dashboard/dist/widget.js');

test('the script is at most 30 kB, whether compressed with Brotli or gzip', () => {
  for (const ending of ['.br', '.gz']) {
    const kb = statSync(script + ending).size / 1000;
    ok(kb <= SCRIPT_KB_MAX, `${ending}: ${kb} kB, not ${SCRIPT_KB_MAX}`);
  }
});
