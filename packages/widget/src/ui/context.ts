// What all screens share: the strings, the connection, the settings, and a function that sends the
// element's events.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Connection } from '../core/connection.ts';
import type { Session } from '../core/session.ts';
import type { Words } from '../texts/texts.ts';
import type { KeyrailKeysEvents } from '../types.ts';

export type Emit = <E extends keyof KeyrailKeysEvents>(
  name: E,
  detail: KeyrailKeysEvents[E]['detail'],
) => void;

type Surroundings = {
  words: Words;
  connection: Connection;
  session: Session;
  pageSize: number;
  /** Whether both the token and the page allow changes. */
  mayChange: boolean;
  emit: Emit;
  /** Announces a result to screen readers. */
  say(text: string): void;
};

export const Widget = createContext<Surroundings | null>(null);

export function useWidget(): Surroundings {
  const found = useContext(Widget);
  if (found === null) throw new Error('bug: a screen is rendered outside the element');
  return found;
}
