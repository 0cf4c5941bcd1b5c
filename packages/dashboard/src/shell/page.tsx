// The parts common to all screens: heading, actions, document title and breadcrumb.
import { type ReactNode, useContext, useEffect } from 'react';
import { createObserved, useObserved } from '../api/observed.ts';
import iconLive from '../icons/icon-live.svg';
import iconTest from '../icons/icon-test.svg';
import { useAddress } from '../router/location.ts';
import { en } from '../texts/en.ts';
import { classes } from '../ui/classes.ts';
import { useHeadingFocus } from './focus.ts';
import styles from './page.module.css';
import { type Scope, ScopeContext } from './scope.ts';

type Crumb = { label: string; to: string };

type Facts = { crumbs: readonly Crumb[]; title: string };

const facts = createObserved<Facts>({ crumbs: [], title: '' });

/** The current page's breadcrumb and title, for the header. */
export const usePageFacts = (): Facts => useObserved(facts);

type Props = {
  title: string;
  /** Shown next to the heading, such as an object's state. */
  beside?: ReactNode;
  /** A line below the heading. */
  lead?: ReactNode;
  /** The parent pages to show in the breadcrumb, without the workspace. */
  crumbs?: readonly Crumb[];
  actions?: ReactNode;
  /** Makes the page wider, for example for a table. */
  wide?: boolean;
  children: ReactNode;
};

const NO_CRUMBS: readonly Crumb[] = [];

export function Page({ title, beside, lead, crumbs = NO_CRUMBS, actions, wide, children }: Props) {
  const scope = useContext(ScopeContext);
  const { pathname } = useAddress();
  const heading = useHeadingFocus(pathname);
  useEffect(() => {
    document.title = titleOf(title, scope);
    showIcon(scope);
  }, [title, scope]);
  const crumbText = JSON.stringify(crumbs);
  useEffect(() => facts.set({ crumbs: JSON.parse(crumbText), title }), [crumbText, title]);
  return (
    <div className={classes(styles.page, wide && styles.wide)}>
      <div className={styles.head}>
        <div className={styles.titles}>
          <div className={styles.line}>
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {beside}
          </div>
          {lead && <p className={styles.lead}>{lead}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </div>
      {children}
    </div>
  );
}

function titleOf(title: string, scope: Scope | null): string {
  const isTest = scope?.env === 'test' && !scope.isNeutral;
  const parts = [isTest ? en.envs.test : null, title, scope?.name ?? null, en.product];
  return parts.filter((part) => part !== null).join(' · ');
}

function showIcon(scope: Scope | null): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  const isTest = scope?.env === 'test' && !scope.isNeutral;
  if (link) link.href = isTest ? iconTest : iconLive;
}
