// Table of contents: every command, in the order in which help lists them.
import { account } from './commands/account.ts';
import { api } from './commands/api.ts';
import { audit } from './commands/audit.ts';
import { embedTokens } from './commands/embed-tokens.ts';
import { environments } from './commands/environments.ts';
import { invites } from './commands/invites.ts';
import { keys } from './commands/keys.ts';
import { members } from './commands/members.ts';
import { profileCommands } from './commands/profiles.ts';
import { projects } from './commands/projects.ts';
import { secretKeys } from './commands/secret-keys.ts';
import { status } from './commands/status.ts';
import { tenants } from './commands/tenants.ts';
import { usage } from './commands/usage.ts';
import { workspace } from './commands/workspace.ts';
import type { Tree } from './program.ts';

export const tree: Tree = {
  single: [...account, status, api],
  groups: [
    profileCommands,
    workspace,
    projects,
    tenants,
    keys,
    secretKeys,
    embedTokens,
    members,
    invites,
    audit,
    usage,
    environments,
  ],
};
