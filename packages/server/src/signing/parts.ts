// Everything needed to create and decrypt signing keys.
import type { RandomBytes } from '../base/random.ts';
import { createSealing, keyFor, type Sealing } from '../base/sealing.ts';
import type { Secret } from '../base/secret.ts';
import type { SigningSchedule } from './rotation-schedule.ts';

export type OpenSigning = SigningSchedule & Sealing & { randomBytes: RandomBytes };

type Parts = SigningSchedule & { masterKey: Secret; randomBytes: RandomBytes };

export function signingPartsOf(parts: Parts): OpenSigning {
  const { masterKey, randomBytes, rotateEveryMs, publishWaitMs } = parts;
  const sealing = createSealing(keyFor('signing', masterKey), randomBytes);
  return { ...sealing, randomBytes, rotateEveryMs, publishWaitMs };
}
