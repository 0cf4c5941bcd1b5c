// A preview of the key manager: the real element with sample data, loaded from the same script as
// on customers' pages.
import { useEffect, useRef, useState } from 'react';
import { Section } from '../../ui/content/section.tsx';
import { Segments } from '../../ui/controls/segments.tsx';
import styles from './embed.module.css';
import { type SampleChoice, sampleToken, sampleTransport } from './sample.ts';
import { texts } from './texts.ts';

/** The script isn't part of the dashboard's build. The server serves it at this URL. */
const WIDGET: string = '/widget.js';

type Theme = 'light' | 'dark';
type Width = 'wide' | 'phone';
type Language = 'en' | 'de';

export function Preview({ choice }: { choice: SampleChoice }) {
  const { preview } = texts;
  const [theme, setTheme] = useState<Theme>('light');
  const [width, setWidth] = useState<Width>('wide');
  const [language, setLanguage] = useState<Language>('en');
  return (
    <Section title={preview.title} lead={preview.lead}>
      <div className={styles.buttons}>
        <Segments<Theme>
          label={preview.theme}
          value={theme}
          options={preview.themes}
          onValue={setTheme}
        />
        <Segments<Width>
          label={preview.width}
          value={width}
          options={preview.widths}
          onValue={setWidth}
        />
        <Segments<Language>
          label={preview.language}
          value={language}
          options={preview.languages}
          onValue={setLanguage}
        />
      </div>
      <div className={width === 'phone' ? styles.phone : styles.stage}>
        <SampleKeys choice={choice} theme={theme} language={language} />
      </div>
    </Section>
  );
}

type SampleProps = { choice: SampleChoice; theme: Theme; language: Language };

/**
 * The element isn't a React component, so it is created through the DOM. Whenever an option
 * changes, a new element replaces the old one.
 */
function SampleKeys({ choice, theme, language }: SampleProps) {
  const place = useRef<HTMLDivElement>(null);
  const [isMissing, setMissing] = useState(false);
  const { env, mayWrite, keyScopes } = choice;
  const scopes = keyScopes.join(' ');
  useEffect(() => {
    let isGone = false;
    import(WIDGET).catch(() => {
      if (!isGone) setMissing(true);
    });
    const sample = { env, mayWrite, keyScopes: scopes === '' ? [] : scopes.split(' ') };
    const element = Object.assign(document.createElement('keyrail-keys'), {
      getToken: sampleToken,
      transport: sampleTransport(sample),
    });
    place.current?.replaceChildren(element);
    return () => {
      isGone = true;
      element.remove();
    };
  }, [env, mayWrite, scopes]);
  useEffect(() => {
    const element = place.current?.firstElementChild;
    element?.setAttribute('theme', theme);
    element?.setAttribute('lang', language);
  });
  return (
    <>
      {isMissing && <p>{texts.preview.missing}</p>}
      <div ref={place} />
    </>
  );
}
