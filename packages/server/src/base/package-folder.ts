// Files other than code, such as migrations and assets, are found from the package's folder. It is
// two folders above both this module's source and the built program.
import { join } from 'node:path';

export const packageFolder = join(import.meta.dirname, '../..');
