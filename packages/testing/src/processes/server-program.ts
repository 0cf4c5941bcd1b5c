// The server's build, and which file a server runs. It is plain JavaScript, so this adds the types.
import { join } from 'node:path';
import { root } from '../documents.ts';

type ServerProgram = {
  mainIn(clone: string): string;
  buildProgram(clone: string): Promise<void>;
};

export const { mainIn, buildProgram }: ServerProgram = await import(
  join(root, 'packages/server/bin/program.mjs')
);
