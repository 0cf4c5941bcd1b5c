// The part of a restore that needs the master key: the keys that sign are replaced. Tokens of older
// keys end; their anchors still verify.
import { signingPurposes } from '@keyrail/protocol/wire/signing-purposes.ts';
import { systemClock } from '../base/clock.ts';
import { DAY_MS } from '../base/duration.ts';
import { createIdMaker } from '../base/ids.ts';
import { systemRandomBytes } from '../base/random.ts';
import type { Secret } from '../base/secret.ts';
import type { Work } from '../doors/work.ts';
import { signingPartsOf } from '../signing/parts.ts';
import { rotateSigningKey } from '../signing/rotate-signing-key.ts';
import type { RestoreOrder } from './restore-backup.ts';
import { clockOf, runnerOn } from './runner.ts';

export const fencing =
  (masterKey: Secret): RestoreOrder['rotateSigningKey'] =>
  async (session) => {
    // A key that replaces all others at once follows no schedule.
    const schedule = { rotateEveryMs: DAY_MS, publishWaitMs: 0 };
    const parts = signingPartsOf({ masterKey, randomBytes: systemRandomBytes, ...schedule });
    const work: Work = {
      kind: 'work',
      now: await clockOf(session),
      newId: createIdMaker(systemClock, systemRandomBytes),
      ...runnerOn(session),
    };
    for (const purpose of signingPurposes) {
      await rotateSigningKey(work, parts, { purpose, cause: 'at once' });
    }
  };
