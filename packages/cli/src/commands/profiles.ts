// The profiles on this machine. The commands here never contact a server.
import type { Command, Group } from '../command.ts';
import { usage } from '../failures.ts';
import type { Field } from '../output/fields.ts';
import { type ProfileFile, withoutProfile } from '../profiles/profile-file.ts';

type Row = { name: string; current: boolean; url: string; kind: string; as: string | null };

const fields: readonly Field<Row>[] = [
  { title: 'name', of: ({ name, current }) => (current ? { text: name, tone: 'bold' } : name) },
  { title: 'current', of: ({ current }) => (current ? 'yes' : '') },
  { title: 'credential', of: ({ kind }) => kind.replace('_', ' ') },
  { title: 'url', of: ({ url }) => url },
  { title: 'as', of: ({ as }) => as, shrink: true },
];

const nameArg = { name: 'name', about: 'profile name' } as const;

function existing(file: ProfileFile, name: string): string {
  if (Object.hasOwn(file.profiles, name)) return name;
  throw usage(`No profile named "${name}".`, 'List the profiles with: keyrail profiles list');
}

const list: Command = {
  name: 'list',
  summary: 'list the profiles',
  examples: ['keyrail profiles list'],
  run: async ({ profiles, output }) => {
    const rows = Object.entries(profiles.profiles).map(([name, { url, kind, email }]) => ({
      name,
      current: name === profiles.current,
      url,
      kind,
      as: email ?? null,
    }));
    output.list(rows, fields, { empty: 'No profiles. Log in with: keyrail login' });
  },
};

const use: Command = {
  name: 'use',
  summary: 'switch to a profile',
  args: [nameArg],
  examples: ['keyrail profiles use staging'],
  run: async ({ profiles, saveProfiles, output }, given) => {
    const current = existing(profiles, given.text('name'));
    await saveProfiles({ ...profiles, current });
    output.report({ current }, `The current profile is now "${current}".`);
  },
};

const remove: Command = {
  name: 'remove',
  summary: 'remove a profile without logging out',
  args: [nameArg],
  examples: ['keyrail profiles remove staging'],
  run: async ({ profiles, saveProfiles, output }, given) => {
    const name = existing(profiles, given.text('name'));
    await saveProfiles(withoutProfile(profiles, name));
    output.report({ removed: name }, `Removed "${name}".`);
  },
};

export const profileCommands: Group = {
  name: 'profiles',
  summary: 'saved logins',
  commands: [list, use, remove],
};
