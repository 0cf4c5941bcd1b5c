// Every kind of step, by its name in the plan.
import type { Step, StepKind } from '../plan.ts';
import type { World } from '../world.ts';
import { pollAhead, readPages } from './feed.ts';
import {
  createKey,
  patchKey,
  readKey,
  revokeAndWait,
  revokeKey,
  rotateKey,
  verifyOnNodes,
} from './keys.ts';
import { duelOwners, raceReset, resendMail, signUp } from './people.ts';
import { overreach, readForeign } from './strangers.ts';
import { changeLimits, deleteTenant, raceTenants, useEmbedToken } from './tenants.ts';
import { checkLimit, claimScope, overspend, sendTelemetry, useSecretKey } from './traffic.ts';

export const steps: Record<StepKind, (world: World, client: string, step: Step) => Promise<void>> =
  {
    createKey,
    patchKey,
    rotateKey,
    revokeKey,
    revokeAndWait,
    readKey,
    raceTenants,
    deleteTenant,
    changeLimits,
    pollAhead,
    readPages,
    verifyOnNodes,
    duelOwners,
    raceReset,
    claimScope,
    checkLimit,
    useEmbedToken,
    useSecretKey,
    sendTelemetry,
    overspend,
    signUp,
    resendMail,
    readForeign,
    overreach,
  };
