// Cases in which a node and the server's explanation of a key must agree: the key's state, the
// string that was sent, and what the route requires.
import type { Env } from '@keyrail/protocol/wire/env.ts';
import { mintCredential } from '@keyrail/protocol/wire/key-format.ts';

/** How a key is changed before it is used. */
export type KeyState =
  | ('active' | 'revoked' | 'disabled' | 'disabled and revoked' | 'enabled again')
  | ('expired' | 'retired' | 'rotated' | 'successor' | 'of another project')
  | ('imported' | 'imported and revoked' | 'beside an imported key')
  | ('a test key imported as live' | 'a live key imported as test')
  | ('of a deleted tenant' | 'of a deleted project' | 'of another workspace' | 'never issued');

export type ExplainCase = {
  name: string;
  state: KeyState;
  keyEnv?: Env;
  /** The string that is sent instead of the key. */
  sent?: (key: string) => string;
  env?: Env;
  scopes?: readonly string[];
  /** When the request is made, relative to now. */
  afterHours?: number;
  reason: string | null;
  /** The check that fails; null if none does. */
  fails: string | null;
};

/** Every key's scopes and expiry. */
export const KEY_SCOPES = ['orders:read', 'orders:write'];
export const LIFE_HOURS = 48;

const flipped = (key: string): string => `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;

export const explainCases: readonly ExplainCase[] = [
  { name: 'an active key', state: 'active', reason: null, fails: null },
  { name: 'an empty key', state: 'active', sent: () => '', reason: 'missing_key', fails: 'format' },
  ...[
    { name: 'a trailing space', sent: (key: string) => `${key} ` },
    { name: 'a header', sent: (key: string) => `Bearer ${key}` },
    { name: 'half a key', sent: (key: string) => key.slice(0, 24) },
    { name: 'a secret key', sent: () => `krsk_live_${'a'.repeat(51)}` },
    { name: 'an uppercase key', sent: (key: string) => key.toUpperCase() },
    { name: 'a key with plus signs', sent: (key: string) => key.replace(/.{9}$/, '++++++++0') },
    { name: 'a key in another format', sent: () => 'sk_live_4eC39HqLyjWDarjtT1zdp7dc' },
  ].map((each) => ({
    ...each,
    state: 'active' as const,
    reason: 'malformed_key',
    fails: 'format',
  })),
  {
    name: 'a wrong checksum',
    state: 'active',
    sent: flipped,
    reason: 'malformed_key',
    fails: 'checksum',
  },
  { name: 'an imported key', state: 'imported', reason: null, fails: null },
  {
    name: 'an imported key that lacks a scope',
    state: 'imported',
    scopes: ['orders:delete'],
    reason: 'insufficient_scope',
    fails: 'scopes',
  },
  {
    name: 'an imported key on a test route',
    state: 'imported',
    env: 'test',
    reason: 'wrong_environment',
    fails: 'environment',
  },
  {
    name: 'the only imported key after its revocation',
    state: 'imported and revoked',
    reason: 'malformed_key',
    fails: 'format',
  },
  {
    name: 'an unknown string alongside an imported key',
    state: 'beside an imported key',
    reason: 'unknown_key',
    fails: 'known',
  },
  {
    name: 'a string that is too short, alongside an imported key',
    state: 'beside an imported key',
    sent: () => 'sk_live',
    reason: 'malformed_key',
    fails: 'format',
  },
  {
    name: 'an imported key that looks like a test key',
    state: 'a test key imported as live',
    reason: 'unknown_key',
    fails: 'known',
  },
  {
    name: 'an imported key that looks like a live key',
    state: 'a live key imported as test',
    reason: 'unknown_key',
    fails: 'known',
  },
  { name: 'an unknown key', state: 'never issued', reason: 'unknown_key', fails: 'known' },
  {
    name: "another workspace's key",
    state: 'of another workspace',
    reason: 'unknown_key',
    fails: 'known',
  },
  {
    name: "another project's key",
    state: 'of another project',
    reason: 'unknown_key',
    fails: 'project',
  },
  {
    name: "a deleted project's key",
    state: 'of a deleted project',
    reason: 'project_deleted',
    fails: 'project',
  },
  {
    name: 'an unknown key for a deleted project',
    state: 'of a deleted project',
    sent: () => mintCredential('api_key', 'live', (size) => new Uint8Array(size)).secret,
    reason: 'project_deleted',
    fails: 'project',
  },
  {
    name: "a deleted tenant's key",
    state: 'of a deleted tenant',
    reason: 'unknown_key',
    fails: 'revoked',
  },
  { name: 'a disabled key', state: 'disabled', reason: 'unknown_key', fails: 'disabled' },
  {
    name: 'a disabled key that was revoked',
    state: 'disabled and revoked',
    reason: 'unknown_key',
    fails: 'disabled',
  },
  { name: 'a key that was enabled again', state: 'enabled again', reason: null, fails: null },
  { name: 'a revoked key', state: 'revoked', reason: 'unknown_key', fails: 'revoked' },
  { name: 'an expired key', state: 'expired', reason: 'expired', fails: 'expired' },
  {
    name: 'a key that expired long ago',
    state: 'retired',
    reason: 'unknown_key',
    fails: 'expired',
  },
  {
    name: 'a key shortly before its expiry',
    state: 'active',
    afterHours: LIFE_HOURS - 1,
    reason: null,
    fails: null,
  },
  {
    name: 'a key shortly after its expiry',
    state: 'active',
    afterHours: LIFE_HOURS + 1,
    reason: 'expired',
    fails: 'expired',
  },
  { name: 'a rotated key', state: 'rotated', reason: null, fails: null },
  {
    name: 'a rotated key after its overlap',
    state: 'rotated',
    afterHours: 25,
    reason: 'expired',
    fails: 'expired',
  },
  { name: 'the new key from a rotation', state: 'successor', reason: null, fails: null },
  { name: 'a live key on a live route', state: 'active', env: 'live', reason: null, fails: null },
  {
    name: 'a live key on a test route',
    state: 'active',
    env: 'test',
    reason: 'wrong_environment',
    fails: 'environment',
  },
  {
    name: 'a test key on a live route',
    state: 'active',
    keyEnv: 'test',
    env: 'live',
    reason: 'wrong_environment',
    fails: 'environment',
  },
  {
    name: 'an expired live key on a test route',
    state: 'expired',
    env: 'test',
    reason: 'expired',
    fails: 'expired',
  },
  {
    name: 'a key with all required scopes',
    state: 'active',
    scopes: ['orders:write', 'orders:read'],
    reason: null,
    fails: null,
  },
  {
    name: 'a key that lacks a scope',
    state: 'active',
    scopes: ['orders:read', 'orders:delete'],
    reason: 'insufficient_scope',
    fails: 'scopes',
  },
  {
    name: 'a live key that lacks a scope, on a test route',
    state: 'active',
    env: 'test',
    scopes: ['orders:delete'],
    reason: 'wrong_environment',
    fails: 'environment',
  },
];
