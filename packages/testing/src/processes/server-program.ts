// Adds types to program.mjs, which builds the server and finds the file it runs from.
import { join } from 'node:path';
import { root } from '../documents.ts';

type ServerProgram = {
  mainIn(clone: string): string;
  buildProgram(clone: string): Promise<void>;
};

export const { mainIn, buildProgram }: ServerProgram = await import(
  join(root, 'packages/server/bin/program.mjs')
);
