// The rules for when keys expire, at every boundary.
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS, msAfter } from '../../base/duration.ts';
import { endsAfterRotation, quarantineColumns, refuseProlonging } from './lifetime.ts';

const now = new Date('2026-01-01T00:00:00.000Z');
const at = (hours: number) => msAfter(now, hours * HOUR_MS);
const tick = (moment: Date, ms: number) => msAfter(moment, ms);
const eternal = { expiresAt: null, vendorExpiresAt: null, revokedAt: null, quarantinedAt: null };

test('a rotated key expires when its overlap ends, or earlier if its own expiry is earlier', () => {
  const cases = [
    { old: eternal, overlapHours: 24, predecessor: at(24), successor: null },
    { old: eternal, overlapHours: 0, predecessor: now, successor: null },
    { old: eternal, overlapHours: 0.5, predecessor: at(0.5), successor: null },
    {
      old: { ...eternal, expiresAt: at(1) },
      overlapHours: 24,
      predecessor: at(1),
      successor: null,
    },
    {
      old: { ...eternal, expiresAt: at(30), vendorExpiresAt: at(30) },
      overlapHours: 24,
      predecessor: at(24),
      successor: at(30),
    },
    {
      old: { ...eternal, expiresAt: at(-5), vendorExpiresAt: at(30) },
      overlapHours: 24,
      predecessor: at(-5),
      successor: at(30),
    },
  ];
  for (const { old, overlapHours, ...ends } of cases) {
    deepEqual(endsAfterRotation(old, { now, overlapHours }), ends);
  }
});

test('a key that is revoked, disabled, or past the expiry set by the vendor cannot be rotated', () => {
  const rotate = (old: typeof eternal | object) =>
    endsAfterRotation({ ...eternal, ...old }, { now, overlapHours: 24 });
  const message = (text: string) => ({ code: 'conflict', message: text });
  const isExpired = message('An expired key cannot be rotated.');
  throws(() => rotate({ revokedAt: now }), message('A revoked key cannot be rotated.'));
  const isDisabled = message('A disabled key cannot be rotated.');
  throws(() => rotate({ disabledAt: now }), isDisabled);
  throws(() => rotate({ disabledAt: now, vendorExpiresAt: at(-1) }), isDisabled);
  throws(
    () => rotate({ disabledAt: now, revokedAt: now }),
    message('A revoked key cannot be rotated.'),
  );
  throws(() => rotate({ vendorExpiresAt: now, expiresAt: now }), isExpired);
  throws(() => rotate({ vendorExpiresAt: at(-1) }), isExpired);
  deepEqual(rotate({ vendorExpiresAt: tick(now, 1) }).successor, tick(now, 1));
});

test('a leaked key expires after an hour, or earlier if its own expiry is earlier', () => {
  for (const [expiresAt, end] of [
    [null, at(1)],
    [at(2), at(1)],
    [at(0.5), at(0.5)],
    [at(-1), at(-1)],
  ] as const) {
    deepEqual(quarantineColumns({ ...eternal, expiresAt }, now, 'leaked'), {
      expiresAt: end,
      quarantinedAt: now,
      quarantineReason: 'leaked',
    });
  }
});

test('only a leaked key has a deadline beyond which its expiry cannot be moved', () => {
  const prolongs = (key: object, wanted: Date | null) => {
    try {
      refuseProlonging({ ...eternal, ...key }, wanted);
      return false;
    } catch {
      return true;
    }
  };
  const leaked = { quarantinedAt: now, expiresAt: at(1) };
  equal(prolongs({ expiresAt: at(1) }, null), false);
  equal(prolongs({ expiresAt: at(1) }, at(100)), false);
  equal(prolongs(leaked, null), true);
  equal(prolongs(leaked, tick(at(1), 1)), true);
  equal(prolongs(leaked, at(1)), false);
  equal(prolongs(leaked, at(-1)), false);
  const endedSooner = { quarantinedAt: now, expiresAt: at(0.5) };
  equal(prolongs(endedSooner, at(1)), false);
  equal(prolongs(endedSooner, tick(at(1), 1)), true);
  equal(prolongs(endedSooner, null), true);
});
