// A table that loads its rows page by page. Where it is narrow, each row is shown as a card. Rows
// are in groups, and the browser skips the groups far from the viewport, so that tables with
// thousands of rows stay fast and can still be searched. A page is only rendered again when its own
// rows or columns change.
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
  useState,
} from 'react';
import { en } from '../../texts/en.ts';
import { later } from '../../texts/later.ts';
import { classes } from '../classes.ts';
import { Button } from '../controls/button.tsx';
import { announce } from '../feedback/announce.tsx';
import styles from './table.module.css';

export type Column<T> = {
  id: string;
  /** Empty for columns that only contain controls. Such columns need a `label` instead. */
  title: ReactNode;
  label?: string;
  /**
   * A grid track, such as `minmax(160px, 2fr)` or `120px`. Including gaps and padding, the minimum
   * widths of all columns may add up to 1,000 px, and those of the columns without `isExtra` to 640
   * px.
   */
  width: string;
  align?: 'end';
  /**
   * Where the value appears in a card: name and state at the top, details below, the menu in a
   * corner.
   */
  card: 'name' | 'state' | 'fact' | 'menu' | 'select' | 'none';
  /** Hidden if the table is narrower than 1,000 px. The object's own page shows the value. */
  isExtra?: boolean;
  cell(row: T): ReactNode;
};

/**
 * Loads the data shown with one page of rows, such as names, and renders that page with columns
 * that include the data.
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
  /** Loads the data for each page. If it is missing, all pages use the header's columns. */
  Page?: ComponentType<PageProps<T>>;
  rowKey(row: T): string;
  /** Whether a row is less prominent, for example because its key is revoked. */
  isFaded?: (row: T) => boolean;
  paging?: Paging;
};

/** A list's next page. */
export type Paging = {
  hasMore: boolean;
  isLoadingMore: boolean;
  /** False while the list is loading, and after an error until the user tries again. */
  canLoadMore: boolean;
  loadMore(): void;
};

const ROW_PX = 44;

/**
 * The number of rows in a group. The browser lays out a whole group when it comes near the
 * viewport. With 100 rows, that would block the page for 250 ms. With single rows, every jump
 * within the list would be slow.
 */
const GROUP_ROWS = 20;

/** The maximum number of pages that a table shows, with 100 rows each. */
const PAGES_MAX = 100;

export function Table<T>(props: Props<T>) {
  const { label, columns, Page, rowKey, isFaded, paging } = props;
  const hasMore = paging?.hasMore ?? false;
  // New pages are rendered with low priority, so that the browser can handle input in the meantime.
  const pages = useDeferredValue(props.pages);
  const group = (rows: readonly T[]) => (shown: readonly Column<T>[]) => (
    <Rows rows={rows} columns={shown} rowKey={rowKey} isFaded={isFaded} />
  );
  const total = pages.reduce((sum, page) => sum + page.length, 0);
  useEffect(() => announce(later.rows(label, total, hasMore)), [label, total, hasMore]);
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
      {paging && hasMore && pages.length < PAGES_MAX && (
        // Until a new page has been rendered, the end of the list stays in view, which would load
        // another page.
        <More {...paging} isRendered={pages === props.pages} />
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

/** The cast restores the type parameter, which `memo` removes. */
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

/** The first link in each row. The keys `j` and `k` and the arrow keys move focus between them. */
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

type MoreProps = Omit<Paging, 'hasMore'> & { isRendered: boolean };

/**
 * Loads the next page when the user gets near the end of the list. The button is for keyboard
 * users, and for trying again after an error.
 */
function More({ isLoadingMore, canLoadMore, loadMore, isRendered }: MoreProps) {
  const end = useRef<HTMLDivElement>(null);
  const more = useRef(loadMore);
  more.current = loadMore;
  const [isInView, setInView] = useState(false);
  useEffect(() => {
    if (!end.current) return;
    const observer = new IntersectionObserver(
      (entries) => setInView(entries.at(-1)?.isIntersecting ?? false),
      { rootMargin: '600px' },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, []);
  // The observer only fires when the end of the list comes into view. While the end stays in view,
  // the next page loads whenever possible, for example after a reload of the list has cancelled the
  // request for that page.
  useEffect(() => {
    if (isInView && canLoadMore && isRendered) more.current();
  }, [isInView, canLoadMore, isRendered]);
  return (
    <div ref={end} className={styles.more}>
      <Button kind="quiet" busy={isLoadingMore || !isRendered} onClick={loadMore}>
        {en.showMore}
      </Button>
    </div>
  );
}
