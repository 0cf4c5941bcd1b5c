// The package's folder, which contains the files other than code, such as migrations and assets.
// Both this module's source and the built program are two levels below it.
import { join } from 'node:path';

export const packageFolder = join(import.meta.dirname, '../..');
