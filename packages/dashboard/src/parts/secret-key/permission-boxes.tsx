// Checkboxes for permissions, described in words and grouped by kind of object.
import type { Permission } from '@keyrail/protocol/wire/permissions.ts';
import { type ReactNode, useId } from 'react';
import { Checkbox } from '../../ui/controls/toggle.tsx';
import { groupsOf, permissionTexts } from './permission-texts.ts';
import styles from './secret-key.module.css';

type Props = {
  label: string;
  offered: readonly Permission[];
  chosen: readonly Permission[];
  /** Returns a note to show next to a permission's name, such as when it was last used. */
  noteOf?(permission: Permission): ReactNode;
  onChosen(chosen: Permission[]): void;
};

export function PermissionBoxes({ label, offered, chosen, noteOf, onChosen }: Props) {
  return (
    <fieldset className={styles.boxes}>
      <legend>{label}</legend>
      {groupsOf(offered).map(({ name, permissions }) => (
        <Group key={name} name={name}>
          {permissions.map((one) => (
            <Checkbox
              key={one}
              label={permissionTexts[one]}
              hint={
                <>
                  <code translate="no">{one}</code> {noteOf?.(one)}
                </>
              }
              checked={chosen.includes(one)}
              onChecked={(isOn) =>
                onChosen(isOn ? [...chosen, one] : chosen.filter((each) => each !== one))
              }
            />
          ))}
        </Group>
      ))}
    </fieldset>
  );
}

function Group({ name, children }: { name: string; children: ReactNode }) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a legend can't be a column of a grid
    <div role="group" aria-labelledby={id} className={styles.group}>
      <span id={id}>{name}</span>
      <div>{children}</div>
    </div>
  );
}
