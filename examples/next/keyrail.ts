// One node for the whole process. Next.js loads a module more than once: for `instrumentation.ts`,
// for routes, and after each change in `next dev`. `globalThis` keeps the first node.
import { createKeyrail, type Keyrail } from '@keyrail/sdk';

const { KEYRAIL_URL, KEYRAIL_SECRET_KEY, KEYRAIL_PROJECT_ID } = process.env;
const shared = globalThis as { keyrail?: Keyrail };

// `next build` loads this too. During the build, the node needs no settings and connects to
// nothing.
shared.keyrail ??= createKeyrail({
  url: KEYRAIL_URL ?? '',
  secretKey: KEYRAIL_SECRET_KEY ?? '',
  projectId: KEYRAIL_PROJECT_ID ?? '',
});
export const { keyrail } = shared;
