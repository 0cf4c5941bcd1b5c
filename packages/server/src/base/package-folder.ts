// The package's folder, where files other than code are, such as migrations and assets. Both this
// module's source and the built program are two folders below it.
import { join } from 'node:path';

export const packageFolder = join(import.meta.dirname, '../..');
