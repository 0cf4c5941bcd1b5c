// One node for the whole process. Next.js loads a module more than once: for `instrumentation.ts`,
// for routes, and in `next dev` after each change. `globalThis` keeps the first node.
import { createKeyrail, type Keyrail } from '@keyrail/sdk';

const { KEYRAIL_URL, KEYRAIL_SECRET_KEY, KEYRAIL_PROJECT_ID } = process.env;
const shared = globalThis as { keyrail?: Keyrail };

// `next build` loads this too. There the node needs no settings and connects to nothing.
shared.keyrail ??= createKeyrail({
  url: KEYRAIL_URL ?? '',
  secretKey: KEYRAIL_SECRET_KEY ?? '',
  projectId: KEYRAIL_PROJECT_ID ?? '',
});
export const { keyrail } = shared;
