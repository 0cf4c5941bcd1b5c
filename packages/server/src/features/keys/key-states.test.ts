// The life of keys against a model of it: whatever is done to them, in whatever order, every answer,
// key, list, version and log row is what the model says.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { headSeq } from '../../../../../tests/audit-trail.ts';
import { quarantine } from '../../../../../tests/behind.ts';
import { type Bench, bench, type Input } from '../../../../../tests/bench.ts';
import { HOUR_MS } from '../../base/duration.ts';

const RUNS = 20;
const STEPS_MAX = 40;
const SEED = 20_261_115;

type Env = 'live' | 'test';

type Key = {
  id: string;
  project: number;
  tenant: number;
  env: Env;
  name: string | null;
  expires: number | null;
  vendor: number | null;
  leaked: boolean;
  /** Null while it is not; 'without a reason' is empty. */
  revoked: string | null;
  from: string | null;
};

type Parent = { id: string; isAlive: boolean; version: number };

type Model = { projects: Parent[]; tenants: Parent[]; keys: Key[]; audits: number };

/** Ends are set at half past and time goes on by whole hours, so that none falls on another. */
const hoursAhead = fc.option(fc.integer({ min: -2, max: 60 }).map((hours) => hours + 0.5));
const which = fc.nat(7);

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ does: fc.constant('create'), which, hours: hoursAhead }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('change'), which, hours: hoursAhead }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('rename'), which, hours: fc.constant(0) }) },
  {
    weight: 5,
    arbitrary: fc.record({ does: fc.constant('rotate'), which, hours: fc.constantFrom(0, 1, 24, 168) }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('revoke'), which, hours: fc.constant(0) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('leak'), which, hours: fc.constant(0) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('wait'), which, hours: fc.integer({ min: 1, max: 30 }) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('delete tenant'), which, hours: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('delete project'), which, hours: fc.constant(0) }) },
);
