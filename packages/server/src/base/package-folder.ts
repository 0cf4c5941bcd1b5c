// Files besides code, such as migrations and assets, are found from the package's folder. It is two
// folders up from the sources of this module, and also from the built program.
import { join } from 'node:path';

export const packageFolder = join(import.meta.dirname, '../..');
