// Which file a server runs: plain JavaScript, to which this adds the types.
import { join } from 'node:path';
import { root } from '../documents.ts';

type ServerProgram = { mainIn(clone: string): string };

export const { mainIn }: ServerProgram = await import(
  join(root, 'packages/server/bin/program.mjs')
);
