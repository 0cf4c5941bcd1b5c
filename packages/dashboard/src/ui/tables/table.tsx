// A table with pages of rows. With little room, each row is a card. Rows are in groups that the
// browser skips while they are far from the viewport, so that thousands of rows stay fast and
// searchable. A page is rendered again only when its own rows or columns change.
import {
  type ComponentType,
  type CSSProperties,
  Fragment,
  type KeyboardEvent,
  memo,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useRef,
} from 'react';
import { en } from '../../texts/en.ts';
import { later } from '../../texts/later.ts';
import { classes } from '../classes.ts';
import { Button } from '../controls/button.tsx';
import { announce } from '../feedback/announce.tsx';
import styles from './table.module.css';

export type Column<T> = {
  id: string;
  /** Empty for columns of controls, which need `label` instead. */
  title: ReactNode;
  label?: string;
  /**
   * A grid track, such as `minmax(160px, 2fr)` or `120px`. With gaps and padding, the minimum
   * widths may total up to 640 px for columns that aren't extra, and 1,000 px for all columns.
   */
  width: string;
  align?: 'end';
  /** The position in a card: name and state at the top, facts below, the menu in the corner. */
  card: 'name' | 'state' | 'fact' | 'menu' | 'select' | 'none';
  /** Hidden if the table is narrower than 1,000 px. The object's own page shows the value. */
  isExtra?: boolean;
  cell(row: T): ReactNode;
};

/**
 * Loads data for one page of rows, such as names, and renders the page with the columns built from
 * it.
 */
export type PageProps<T> = {
  rows: readonly T[];
  children(columns: readonly Column<T>[]): ReactNode;
};

type Props<T> = {
  /** The name of the table. */
  label: string;
  columns: readonly Column<T>[];
  pages: readonly (readonly T[])[];
  /** Loads the data for each page. Without it, all pages use the columns of the header. */
  Page?: ComponentType<PageProps<T>>;
  rowKey(row: T): string;
  /** Makes a row stand out less, for example if its key is revoked. */
  isFaded?: (row: T) => boolean;
  hasMore?: boolean;
  isLoadingMore?: boolean;
  loadMore?: () => void;
};

const ROW_PX = 44;

/**
 * The browser lays out a whole group when it comes near the viewport. A group of 100 rows would
 * block the page for 250 ms, and groups of single rows make every jump slow.
 */
const GROUP_ROWS = 20;

/** The maximum number of pages in a list, with 100 rows each. */
const PAGES_MAX = 100;

export function Table<T>(props: Props<T>) {
  const { label, columns, Page, rowKey, isFaded, hasMore, loadMore, isLoadingMore } = props;
  // A new page is rendered with low priority, so that the browser can handle input in between.
  const pages = useDeferredValue(props.pages);
  const group = (rows: readonly T[]) => (shown: readonly Column<T>[]) => (
    <Rows rows={rows} columns={shown} rowKey={rowKey} isFaded={isFaded} />
  );
  const total = pages.reduce((sum, page) => sum + page.length, 0);
  useEffect(() => announce(later.rows(label, total, hasMore ?? false)), [label, total, hasMore]);
  const tracks = (shown: readonly Column<T>[]) => shown.map(({ width }) => width).join(' ');
  const style: CSSProperties & Record<`--${string}`, string> = {
    '--columns': tracks(columns),
    '--columns-few': tracks(columns.filter(({ isExtra }) => !isExtra)),
  };
  return (
    <div className={styles.box}>
      {/* biome-ignore lint/a11y/useSemanticElements: a grid with skipped groups */}
      <div role="table" aria-label={label} style={style}>
        {/* biome-ignore lint/a11y/useSemanticElements: see above */}
        <div role="rowgroup" className={styles.head}>
          {/* biome-ignore lint/a11y: see above */}
          <div role="row" className={styles.row}>
            {columns.map((column) => (
              <Heading key={column.id} column={column} />
            ))}
          </div>
        </div>
        {pages.map((rows, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pages keep their position
          <Fragment key={at}>
            {Page ? <Page rows={rows}>{group(rows)}</Page> : group(rows)(columns)}
          </Fragment>
        ))}
      </div>
      {hasMore && loadMore && pages.length < PAGES_MAX && (
        // Until a page has been rendered, the end of the list stays in view and would load another.
        <More isLoading={(isLoadingMore ?? false) || pages !== props.pages} onMore={loadMore} />
      )}
      {hasMore && pages.length >= PAGES_MAX && (
        <p className={styles.full}>{later.listIsFull(total)}</p>
      )}
    </div>
  );
}

function Heading<T>({ column }: { column: Column<T> }) {
  const { title, label, align } = column;
  return (
    // biome-ignore lint/a11y: a heading in the grid
    <div
      role="columnheader"
      data-card={column.card}
      data-extra={column.isExtra}
      className={classes(styles.heading, align === 'end' && styles.end)}
    >
      {title ?? null}
      {label && <span className="unseen">{label}</span>}
    </div>
  );
}

type RowsProps<T> = {
  rows: readonly T[];
  columns: readonly Column<T>[];
  rowKey(row: T): string;
  isFaded: ((row: T) => boolean) | undefined;
};

/** `memo` removes the type parameter. */
const Rows = memo(RowsOfPage) as typeof RowsOfPage;

function RowsOfPage<T>({ rows, ...rest }: RowsProps<T>) {
  const groups = Array.from({ length: Math.ceil(rows.length / GROUP_ROWS) }, (_, at) => at);
  return (
    <>
      {groups.map((at) => (
        <RowGroup key={at} rows={rows.slice(at * GROUP_ROWS, (at + 1) * GROUP_ROWS)} {...rest} />
      ))}
    </>
  );
}

function RowGroup<T>({ rows, columns, rowKey, isFaded }: RowsProps<T>) {
  // Only the height is set. With a width, a group far from the viewport would be wider than its
  // table.
  const style: CSSProperties = { containIntrinsicHeight: `auto ${rows.length * ROW_PX}px` };
  return (
    // biome-ignore lint/a11y: a row group in the grid
    <div role="rowgroup" className={styles.page} style={style}>
      {rows.map((row) => (
        // biome-ignore lint/a11y: a row in the grid
        <div
          key={rowKey(row)}
          role="row"
          className={classes(styles.row, isFaded?.(row) && styles.faded)}
          onKeyDown={moveBetweenRows}
        >
          {columns.map((column) => (
            // biome-ignore lint/a11y: a cell in the grid
            <div
              key={column.id}
              role="cell"
              data-card={column.card}
              data-extra={column.isExtra}
              className={classes(styles.cell, column.align === 'end' && styles.end)}
            >
              {column.card === 'fact' && (
                <span className={styles.fact} aria-hidden="true">
                  {column.title}
                </span>
              )}
              {column.cell(row)}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

/** The first link of each row. `j`, `k` and the arrow keys move between them. */
const rowLinks = (from: Element): HTMLElement[] => [
  ...(from.closest('[role=table]')?.querySelectorAll<HTMLElement>('[data-card=name] a') ?? []),
];

const MOVES: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  const step = MOVES[event.key];
  const { target, currentTarget } = event;
  if (step === undefined || !(target instanceof HTMLAnchorElement)) return;
  const links = rowLinks(currentTarget);
  const at = links.indexOf(target);
  if (at === -1) return;
  event.preventDefault();
  links[at + step]?.focus();
}

/**
 * Loads the next page near the end of the list. The button is for keyboard users and for retries
 * after errors.
 */
function More({ isLoading, onMore }: { isLoading: boolean; onMore(): void }) {
  const end = useRef<HTMLDivElement>(null);
  const more = useRef(onMore);
  more.current = onMore;
  useEffect(() => {
    if (!end.current || isLoading) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) more.current();
      },
      { rootMargin: '600px' },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [isLoading]);
  return (
    <div ref={end} className={styles.more}>
      <Button kind="quiet" busy={isLoading} onClick={onMore}>
        {en.showMore}
      </Button>
    </div>
  );
}
