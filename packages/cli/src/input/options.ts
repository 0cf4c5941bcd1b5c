// Options that several commands have, and functions that read them.
import type { Client } from '@keyrail/client';
import { envs } from '@keyrail/protocol/wire/env.ts';
import type { Option } from '../command.ts';
import { hoursOf, instantOf } from '../times.ts';
import type { Given } from './given.ts';
import { projectIdOf, tenantIdOf } from './resolve-ids.ts';

export const idArg = { name: 'id', about: 'ID, as shown by list' } as const;

export const envOption = {
  flags: '--env <env>',
  about: 'environment',
  choices: envs,
} as const satisfies Option;

export const requiredEnvOption = { ...envOption, required: true } as const satisfies Option;

export const projectOption = {
  flags: '--project <project>',
  about: 'project, by ID or slug',
} as const satisfies Option;

export const tenantOption = {
  flags: '--tenant <tenant>',
  about: 'tenant, by ID or external ID',
} as const satisfies Option;

/**
 * Returns the `--search` option of a list, which prints only rows in which one of these fields
 * contains the given text.
 */
export const searchOption = (fields: string): Option => ({
  flags: '--search <text>',
  about: `only rows whose ${fields} contains this text`,
});

/** Where to create something: the project, tenant and environment. */
export const placeOptions = [
  { ...projectOption, required: true },
  { ...tenantOption, required: true },
  requiredEnvOption,
] as const satisfies Option[];

export const nameOption = { flags: '--name <name>', about: 'name' } as const satisfies Option;

export const newNameOption = {
  flags: '--name <name>',
  about: 'new name; "" removes it',
} as const satisfies Option;

export const metaOption = {
  flags: '--meta <json>',
  about: 'your own JSON object; replaces the existing one',
} as const satisfies Option;

export const expiresOption = {
  flags: '--expires <when>',
  about: 'expiry: 30d, 2027-01-31 or 2027-01-31T12:00:00Z',
} as const satisfies Option;

export const overlapOption = {
  flags: '--overlap <span>',
  about: 'how long the old key keeps working: 0h to 7d (default: 24h)',
} as const satisfies Option;

export const reasonOption = {
  flags: '--reason <text>',
  about: 'reason, stored with the key',
} as const satisfies Option;

/** Returns the environment, if one was given. */
export const envOf = (given: Given) => given.maybeOneOf('env', envs);

export const placeOf = async (client: Client, given: Given) => ({
  project_id: await projectIdOf(client, given.text('project')),
  tenant_id: await tenantIdOf(client, given.text('tenant')),
  env: requiredEnvOf(given),
});

export const requiredEnvOf = (given: Given) => given.oneOf('env', envs);

/** An empty string removes the name. */
export const newNameOf = (given: Given): string | null | undefined => {
  const name = given.maybe('name');
  return name === '' ? null : name;
};

export const expiryOf = (given: Given, now: Date): string | undefined => {
  const when = given.maybe('expires');
  return when === undefined ? undefined : instantOf(when, now);
};

/** `never` removes the expiry. */
export const newExpiryOf = (given: Given, now: Date): string | null | undefined =>
  given.maybe('expires') === 'never' ? null : expiryOf(given, now);

export const overlapOf = (given: Given): { overlap_hours?: number } => {
  const span = given.maybe('overlap');
  return span === undefined ? {} : { overlap_hours: hoursOf(span) };
};
