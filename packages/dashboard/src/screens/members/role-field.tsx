// A field for choosing a role, with a description of each role.
import { roles } from '@keyrail/protocol/wire/roles.ts';
import type { Role } from '../../shell/scope.ts';
import { en } from '../../texts/en.ts';
import { Field } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { texts } from './texts.ts';

type Props = { label: string; role: Role; onRole(role: Role): void };

export const RoleField = ({ label, role, onRole }: Props) => (
  <Field label={label} hint={texts.roles[role]}>
    {(control) => (
      <Select
        {...control}
        value={role}
        options={roles.toReversed().map((value) => ({ value, label: en.roles[value] }))}
        onValue={onRole}
      />
    )}
  </Field>
);
