// Preferences stored in this browser: the theme and single-letter shortcuts.
import { useState } from 'react';
import { useObserved } from '../../api/observed.ts';
import { lettersWork, openShortcuts, setLetters } from '../../shell/shortcuts-state.ts';
import { shortcuts } from '../../texts/shortcuts.ts';
import { chooseTheme, storedTheme, themes } from '../../theme.ts';
import { Section } from '../../ui/content/section.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { Switch } from '../../ui/controls/toggle.tsx';
import styles from './account.module.css';
import { texts } from './texts.ts';

export function ThemeChoice() {
  const [chosen, setChosen] = useState(storedTheme);
  return (
    <Section title={texts.theme.title} lead={texts.theme.lead}>
      <fieldset className={styles.themes}>
        <legend className="unseen">{texts.theme.label}</legend>
        {themes.map((theme) => (
          <label key={theme} className={styles.theme}>
            <input
              type="radio"
              name="theme"
              value={theme}
              checked={theme === chosen}
              onChange={() => {
                chooseTheme(theme);
                setChosen(theme);
              }}
            />
            <Icon name={theme} />
            {texts.theme.themes[theme]}
          </label>
        ))}
      </fieldset>
    </Section>
  );
}

export const Keyboard = () => (
  <Section title={texts.keyboard.title} lead={texts.keyboard.lead}>
    <Switch
      label={shortcuts.letters}
      hint={shortcuts.lettersHint}
      checked={useObserved(lettersWork)}
      onChecked={setLetters}
    />
    <div>
      <Button onClick={openShortcuts}>{texts.keyboard.show}</Button>
    </div>
  </Section>
);
