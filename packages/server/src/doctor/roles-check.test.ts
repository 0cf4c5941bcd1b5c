import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import type pg from 'pg';
import { loginWarnings, refuseUnsafeRoles } from '../db/login-role.ts';
import type { Outcome } from './finding.ts';
import type { Inspection } from './inspection.ts';
import { checkLogin, checkRoles } from './roles-check.ts';

/** A client whose queries all return this row. */
const clientOf = (row: object) =>
  ({ query: async () => ({ rows: [row] }) }) as unknown as pg.Client;

const inspectionOf = (parts: Partial<Inspection>) =>
  ({
    kind: 'postgres',
    query: async () => [],
    roleSuffix: async () => ({ found: '', expected: '' }),
    ...parts,
  }) as Inspection;

const partsOf = ({ message, remedy }: Outcome) => [message, remedy];

test('each warning about the login suggests an SQL statement that fixes the problem', async () => {
  const admin = clientOf({
    login: 'keyrail',
    database: 'main',
    createsRoles: true,
    isOpen: true,
    others: ['guest'],
    roleMakers: ['maker'],
    version: 150_000,
  });
  const outcomes = await checkRoles(inspectionOf({ loginWarnings: () => loginWarnings(admin) }));
  deepEqual(outcomes.slice(-4).map(partsOf), [
    [
      'The database login can still create roles, but only the first migration needs that.',
      'ALTER ROLE "keyrail" NOCREATEROLE',
    ],
    [
      "Before PostgreSQL 16, roles with CREATEROLE can change the database login's password; " +
        'roles with CREATEROLE: maker.',
      'ALTER ROLE "maker" NOCREATEROLE',
    ],
    [
      'Every login in the cluster can connect to this database.',
      'REVOKE CONNECT ON DATABASE "main" FROM PUBLIC',
    ],
    [
      "Other logins are members of this database's roles: guest.",
      'Revoke these memberships, unless you need them.',
    ],
  ]);
});

test('if the login can become a superuser, the remedy is the fix from the error message', async () => {
  const refusal = await refuseUnsafeRoles(clientOf({ name: 'root', super: true }), 'keyrail').then(
    () => null,
    (error: Error) => error.message,
  );
  deepEqual((await checkLogin(inspectionOf({ loginRefusal: async () => refusal }))).map(partsOf), [
    [
      'The database login "keyrail" can become "root", which is a superuser: row-level security ' +
        'would not apply.',
      'Fix it with: ALTER ROLE "root" NOSUPERUSER NOBYPASSRLS; or revoke the membership.',
    ],
  ]);
});
