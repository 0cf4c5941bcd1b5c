// Whether the schema of the database is that of this version.
import { EARLIER, MOVE_IT } from '../db/earlier-schema.ts';
import type { MigrationState } from '../db/inspected-migrations.ts';
import { fault, fine, listed, type Outcome, warning } from './finding.ts';

export function checkMigrations(state: MigrationState): Outcome[] {
  const { isNew, isEarlier, isCopy, pending, newer, changed } = state;
  if (isEarlier) return [fault(EARLIER, MOVE_IT)];
  const found: Outcome[] = [];
  if (newer.length > 0) {
    found.push(
      fault(
        `The database was migrated by a newer Keyrail: ${listed(newer)}.`,
        'Run that version, or a later one. An older version refuses to start.',
      ),
    );
  }
  if (changed.length > 0) {
    found.push(
      fault(
        `Migrations were changed after they had been applied: ${listed(changed)}.`,
        'Install this version again: its files are not the published ones.',
      ),
    );
  }
  if (isCopy) {
    found.push(
      warning(
        'The database is a copy, and still uses the roles of the original.',
        'Give the login CREATEROLE, run keyrail-server migrate, and revoke it with NOCREATEROLE.',
      ),
    );
  }
  const remedy = 'Run keyrail-server migrate. The next start does the same.';
  if (isNew) found.push(warning('The database is empty: it was never migrated.', remedy));
  else if (pending.length > 0) {
    const count = pending.length === 1 ? '1 migration is' : `${pending.length} migrations are`;
    found.push(warning(`${count} pending: ${listed(pending)}.`, remedy));
  }
  return found.length > 0 ? found : [fine('The schema is that of this version.')];
}
