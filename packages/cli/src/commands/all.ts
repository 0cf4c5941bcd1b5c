// Every command, in the order in which the help lists them.

import type { Tree } from '../program.ts';
import { account } from './account.ts';
import { api } from './api.ts';
import { audit } from './audit.ts';
import { embedTokens } from './embed-tokens.ts';
import { environments } from './environments.ts';
import { find } from './find.ts';
import { invites } from './invites.ts';
import { keys } from './keys.ts';
import { members } from './members.ts';
import { nodes } from './nodes.ts';
import { profileCommands } from './profiles.ts';
import { projects } from './projects.ts';
import { receipt } from './receipt.ts';
import { secretKeys } from './secret-keys.ts';
import { status } from './status.ts';
import { tenants } from './tenants.ts';
import { usage } from './usage.ts';
import { webhooks } from './webhooks.ts';
import { workspace } from './workspace.ts';

export const tree: Tree = {
  single: [...account, find, status, api],
  groups: [
    profileCommands,
    workspace,
    projects,
    tenants,
    keys,
    secretKeys,
    embedTokens,
    nodes,
    members,
    invites,
    audit,
    receipt,
    webhooks,
    usage,
    environments,
  ],
};
