// Checks whether the database has this version's schema.
import { EARLIER, MOVE_IT } from '../db/earlier-schema.ts';
import { fault, fine, listed, type Outcome, warning } from './finding.ts';
import type { MigrationState } from './inspected-migrations.ts';

export function checkMigrations(state: MigrationState): Outcome[] {
  const { isNew, isEarlier, isCopy, pending, newer, changed } = state;
  if (isEarlier) return [fault(EARLIER, MOVE_IT)];
  const found: Outcome[] = [];
  if (newer.length > 0) {
    found.push(
      fault(
        `The database was migrated by a newer version of Keyrail: ${listed(newer)}.`,
        'Run that version, or a later one. An older version refuses to start.',
      ),
    );
  }
  if (changed.length > 0) {
    found.push(
      fault(
        `Migrations have been changed since they were applied: ${listed(changed)}.`,
        'Reinstall this version. Its migration files differ from the published ones.',
      ),
    );
  }
  if (isCopy) {
    found.push(
      warning(
        "The database is a copy that still uses the original's roles.",
        'Give the login CREATEROLE, run keyrail-server migrate, and revoke it with NOCREATEROLE.',
      ),
    );
  }
  const remedy = 'Run keyrail-server migrate. The next start does the same.';
  if (isNew) found.push(warning('The database is empty and has never been migrated.', remedy));
  else if (pending.length > 0) {
    const count = pending.length === 1 ? '1 migration is' : `${pending.length} migrations are`;
    found.push(warning(`${count} pending: ${listed(pending)}.`, remedy));
  }
  return found.length > 0 ? found : [fine('The schema matches this version.')];
}
