// The list of shortcuts, and the switch for single-letter shortcuts.
import { useObserved } from '../api/observed.ts';
import { en } from '../texts/en.ts';
import { shortcuts } from '../texts/shortcuts.ts';
import { Switch } from '../ui/controls/toggle.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { navigation } from './navigation.ts';
import styles from './shortcuts.module.css';
import { lettersWork, setLetters, shortcutsAreOpen } from './shortcuts-state.ts';

export function Shortcuts() {
  const isOn = useObserved(lettersWork);
  const rows = [
    ['Ctrl K', shortcuts.palette],
    ['/', shortcuts.filter],
    ['c', shortcuts.create],
    ['j  k', shortcuts.rows],
    ['Enter', shortcuts.open],
    ...navigation.flat().map(({ letter, name }) => [`g ${letter}`, en.navigation[name]]),
    ['Esc', shortcuts.closes],
    ['?', shortcuts.help],
  ];
  return (
    <Dialog title={shortcuts.title} onClose={() => shortcutsAreOpen.set(false)}>
      <dl className={styles.list}>
        {rows.map(([keys, does]) => (
          <div key={keys} className={styles.row}>
            <dt>{does}</dt>
            <dd>
              <kbd>{keys}</kbd>
            </dd>
          </div>
        ))}
      </dl>
      <Switch
        label={shortcuts.letters}
        hint={shortcuts.lettersHint}
        checked={isOn}
        onChecked={setLetters}
      />
    </Dialog>
  );
}
