// Sizes in settings: which values are accepted and rejected.
import { equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { quotas } from './quotas.ts';
import { store } from './store.ts';

test('a size is a whole number with a unit', () => {
  const { idempotencyBytesMax, tenantMonthsMax } = quotas;
  equal(store.bytesMax.parse('20GiB'), 21_474_836_480);
  equal(store.bytesMax.parse('1TiB'), 1_099_511_627_776);
  equal(idempotencyBytesMax.parse('1KiB'), 1024);
  equal(idempotencyBytesMax.parse(idempotencyBytesMax.fallback), 268_435_456);
  equal(tenantMonthsMax.parse('1'), 1);
  for (const wrong of ['', '0MiB', '5', '5MB', '1.5GiB', '-1MiB', '9999999KiB', '5 MiB']) {
    throws(() => store.bytesMax.parse(wrong), /must be a size such as/, wrong);
  }
});
