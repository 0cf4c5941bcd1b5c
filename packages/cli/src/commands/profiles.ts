// The profiles on this machine. None of these commands speaks to a server.
import type { Command, Group } from '../command.ts';
import type { Fact } from '../facts.ts';
import { usage } from '../faults.ts';
import { type ProfileFile, withoutProfile } from '../profile.ts';

type Row = { name: string; current: boolean; url: string; kind: string; as: string | null };

const facts: readonly Fact<Row>[] = [
  { title: 'name', of: ({ name, current }) => (current ? { text: name, tone: 'bold' } : name) },
  { title: 'in use', of: ({ current }) => (current ? 'yes' : '') },
  { title: 'credential', of: ({ kind }) => kind.replace('_', ' ') },
  { title: 'address', of: ({ url }) => url },
  { title: 'as', of: ({ as }) => as, shrink: true },
];

const nameArg = { name: 'name', about: 'name of the profile' } as const;

function known(file: ProfileFile, name: string): string {
  if (Object.hasOwn(file.profiles, name)) return name;
  throw usage(`There is no profile "${name}".`, 'They are shown by: keyrail profiles list');
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
    output.list(rows, facts, 'No profiles: log in with keyrail login.');
  },
};

const use: Command = {
  name: 'use',
  summary: 'use a profile from now on',
  args: [nameArg],
  examples: ['keyrail profiles use staging'],
  run: async ({ profiles, saveProfiles, output }, given) => {
    const current = known(profiles, given.text('name'));
    await saveProfiles({ ...profiles, current });
    output.did({ current }, `Now using "${current}".`);
  },
};

const remove: Command = {
  name: 'remove',
  summary: 'forget a profile without logging out',
  args: [nameArg],
  examples: ['keyrail profiles remove staging'],
  run: async ({ profiles, saveProfiles, output }, given) => {
    const name = known(profiles, given.text('name'));
    await saveProfiles(withoutProfile(profiles, name));
    output.did({ removed: name }, `Forgot "${name}".`);
  },
};

export const profileCommands: Group = {
  name: 'profiles',
  summary: 'deployments that you are logged in to',
  commands: [list, use, remove],
};
