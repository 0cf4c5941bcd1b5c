// Builds the server and finds the file it runs from. The program is plain JavaScript, so this file
// adds the types.
import { join } from 'node:path';
import { root } from '../documents.ts';

type ServerProgram = {
  mainIn(clone: string): string;
  buildProgram(clone: string): Promise<void>;
};

export const { mainIn, buildProgram }: ServerProgram = await import(
  join(root, 'packages/server/bin/program.mjs')
);
