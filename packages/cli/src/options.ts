// Options that several commands share, and how they are read.
import type { Client } from '@keyrail/client/client.ts';
import type { Option } from './command.ts';
import type { Given } from './given.ts';
import { projectIdOf, tenantIdOf } from './names.ts';
import { hoursOf, instantOf } from './times.ts';

export const envs = ['live', 'test'] as const;
export const roles = ['owner', 'admin', 'member'] as const;

export const idArg = { name: 'id', about: 'its id, as lists show it' } as const;

export const envOption = {
  flags: '--env <env>',
  about: 'environment',
  choices: envs,
} as const satisfies Option;

export const requiredEnvOption = { ...envOption, required: true } as const satisfies Option;

export const projectOption = {
  flags: '--project <project>',
  about: 'project, by id or slug',
} as const satisfies Option;

export const tenantOption = {
  flags: '--tenant <tenant>',
  about: 'tenant, by id or external id',
} as const satisfies Option;

/** Where something of a tenant is made. */
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
  about: 'JSON object to keep with it; replaces the old one as a whole',
} as const satisfies Option;

export const expiresOption = {
  flags: '--expires <when>',
  about: 'end of life: 30d, 2027-01-31 or 2027-01-31T12:00:00Z',
} as const satisfies Option;

export const overlapOption = {
  flags: '--overlap <span>',
  about: 'how long the old one still works: 0h to 7d (24h)',
} as const satisfies Option;

export const reasonOption = {
  flags: '--reason <text>',
  about: 'why, for the record',
} as const satisfies Option;

/** The environment that was named, if one was. */
export const envOf = (given: Given) => given.maybeOneOf('env', envs);

export const placeOf = async (client: Client, given: Given) => ({
  project_id: await projectIdOf(client, given.text('project')),
  tenant_id: await tenantIdOf(client, given.text('tenant')),
  env: requiredEnvOf(given),
});

export const requiredEnvOf = (given: Given) => given.oneOf('env', envs);

/** An empty name means none. */
export const newNameOf = (given: Given): string | null | undefined => {
  const name = given.maybe('name');
  return name === '' ? null : name;
};

export const expiryOf = (given: Given, now: Date): string | undefined => {
  const when = given.maybe('expires');
  return when === undefined ? undefined : instantOf(when, now);
};

/** `never` takes an expiry away. */
export const newExpiryOf = (given: Given, now: Date): string | null | undefined =>
  given.maybe('expires') === 'never' ? null : expiryOf(given, now);

export const overlapOf = (given: Given): { overlap_hours?: number } => {
  const span = given.maybe('overlap');
  return span === undefined ? {} : { overlap_hours: hoursOf(span) };
};
