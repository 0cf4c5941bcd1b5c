// An error, shown where it happened: what failed, why, what to do, and the request ID to copy.
import { isOutcomeUnknown, KeyrailError, KeyrailUnreachable } from '@keyrail/client';
import type { ReactNode } from 'react';
import { en } from '../../texts/en.ts';
import { classes } from '../classes.ts';
import { Button } from '../controls/button.tsx';
import { Copy } from '../controls/copy.tsx';
import { Icon } from '../controls/icon.tsx';
import styles from './problem.module.css';

type Props = {
  error: Error;
  /** What failed, such as "Couldn’t load keys." The reason is shown after it. */
  title?: string;
  /**
   * Called to load the data again. Only for reads, because retrying a change whose outcome is
   * unknown could make it twice.
   */
  onRetry?: (() => unknown) | undefined;
};

export function Problem({ error, title, onRetry }: Props) {
  const requestId = error instanceof KeyrailError ? error.requestId : null;
  return (
    <div className={styles.problem} role="alert">
      <Icon name="warning" />
      <div className={styles.text}>
        <p>
          {title && <strong>{title} </strong>}
          {onRetry ? reasonOf(error) : outcomeOf(error)}
        </p>
        {requestId && (
          <p className={styles.request}>
            {en.problem.request} <code>{requestId}</code>
            <Copy text={requestId} label={en.problem.copyRequest} />
          </p>
        )}
      </div>
      {onRetry && (
        <Button small onClick={() => void onRetry()}>
          {en.tryAgain}
        </Button>
      )}
      {!onRetry && isOutcomeUnknown(error) && SHOWS.test(location.pathname) && (
        <Button small onClick={look}>
          {en.problem.look}
        </Button>
      )}
    </div>
  );
}

/** A warning about something that works but should be changed soon. */
export const Warning = ({ children, action }: { children: ReactNode; action: ReactNode }) => (
  <div className={classes(styles.problem, styles.warning)} role="note">
    <Icon name="warning" />
    <p className={styles.text}>{children}</p>
    {action}
  </div>
);

/** A problem that already existed when this page was opened, with a button to resolve it. */
export const Notice = ({ children, action }: { children: ReactNode; action: ReactNode }) => (
  <div className={styles.problem} role="alert">
    <Icon name="warning" />
    <p className={styles.text}>{children}</p>
    {action}
  </div>
);

/** Pages that show the signed-in user's data. All other pages contain only forms. */
const SHOWS = /^\/(w\/|workspaces|account)/;

/**
 * Opens the current page in a new tab, so that the form in this tab is kept. If the page is the
 * form for a new object, opens the list of existing ones.
 */
const look = (): void => {
  const path = location.pathname.replace(/\/new$/, '');
  window.open(`${path}${location.search}`, '_blank', 'noopener');
};

/** Why a change failed, and whether it may have been made anyway. */
export function outcomeOf(error: Error): string {
  if (isOutcomeUnknown(error)) return en.problem.unknownOutcome;
  return error instanceof KeyrailUnreachable ? en.problem.notSent : reasonOf(error);
}

/** Why a request failed, usually in the server's words. */
export function reasonOf(error: Error): string {
  if (error instanceof KeyrailUnreachable) return en.problem.unreachable;
  if (!(error instanceof KeyrailError)) return en.problem.unexpected;
  const { details, message, retryAfterMs, code } = error;
  if (code === 'rate_limited' && retryAfterMs !== null) {
    return en.problem.tooMany(Math.ceil(retryAfterMs / 1000));
  }
  const [first] = details;
  return details.length === 1 && first ? `${message} ${first.path}: ${first.message}` : message;
}

/** The server's message for each field of a form, by field path. */
export function fieldErrors(error: Error | null): Readonly<Record<string, string>> {
  if (!(error instanceof KeyrailError)) return {};
  return Object.fromEntries(error.details.map(({ path, message }) => [path, message]));
}
