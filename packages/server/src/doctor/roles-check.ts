// Checks the login, and the database roles and privileges that keep workspaces isolated.
import { type LoginWarning, TO_FIX } from '../db/login-role.ts';
import { fault, fine, listed, type Outcome, warning } from './finding.ts';
import {
  findGrantFaults,
  findRoleFaults,
  findUnprotected,
  type GrantFault,
} from './inspected-grants.ts';
import type { Inspection } from './inspection.ts';

/** Before the first migration, only the login exists. */
export async function checkLogin(inspection: Inspection): Promise<Outcome[]> {
  const refusal = await inspection.loginRefusal();
  if (refusal === null) return roleOutcomes(await findRoleFaults(inspection));
  // The end of the server's error message says how to fix the error.
  const at = refusal.search(/(?<=[.:]) (?:Create|Fix)/);
  if (at === -1) return [fault(refusal, 'Create a separate login for Keyrail.')];
  return [fault(refusal.slice(0, at), refusal.slice(at + 1))];
}

function roleOutcomes(faults: readonly GrantFault[]): Outcome[] {
  if (faults.length === 0) return [fine('Row-level security applies to the login.')];
  const what = listed(faults.map((each) => each.what));
  const statements = listed([...new Set(faults.map((each) => each.statement))], '; ');
  return [
    fault(
      `Can't use Keyrail's database roles: ${what}.`,
      `As a superuser: ${statements}, then run keyrail-server migrate.`,
    ),
  ];
}

/** Requires a database with this version's schema. */
export async function checkRoles(inspection: Inspection): Promise<Outcome[]> {
  const unprotected = await findUnprotected(inspection);
  const faults = await findGrantFaults(inspection);
  const warnings = inspection.kind === 'postgres' ? await inspection.loginWarnings() : [];
  const found = [
    ...(unprotected.length > 0 ? [unprotectedFault(unprotected)] : []),
    ...(faults.length > 0
      ? [
          fault(
            `Privileges are not as expected: ${listed(faults.map(({ what }) => what))}.`,
            `As the schema owner: ${listed(
              faults.map(({ statement }) => statement),
              '; ',
            )}`,
          ),
        ]
      : []),
    ...warnings.map(warningOf),
  ];
  return found.length > 0 ? found : [fine('Every role has exactly the privileges it needs.')];
}

const unprotectedFault = (names: readonly string[]): Outcome =>
  fault(
    `Row-level security isn't forced on ${listed(names)}, so workspaces aren't isolated.`,
    listed(
      names.map(
        (name) => `ALTER TABLE keyrail.${name} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY`,
      ),
      '; ',
    ),
  );

/** Most login warnings end with the SQL statement that fixes them. */
function warningOf({ text, isUnsafe }: LoginWarning): Outcome {
  const [what = '', statement] = text.split(TO_FIX);
  const message = `${what.charAt(0).toUpperCase()}${what.slice(1)}.`;
  const outcome = isUnsafe ? fault : warning;
  return outcome(message, statement ?? 'Revoke these memberships, unless you need them.');
}
