// A table of rows in pages; where there is little room, every row is a card. The rows are in groups
// that the browser skips while they are far away, so that thousands of rows stay quick and
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
  /** Empty for columns of controls, which then need `label`. */
  title: ReactNode;
  label?: string;
  /**
   * A grid track: `minmax(160px, 2fr)`, `120px`. With gaps and padding, the minimum widths of the
   * columns that are not extra add up to at most 640 px, and of all columns to 1,000 px.
   */
  width: string;
  align?: 'end';
  /** Its place in a card: name and state on top, facts below, menu in the corner. */
  card: 'name' | 'state' | 'fact' | 'menu' | 'select' | 'none';
  /** Left out where the table has less than 1,000 px; the object's own page shows it. */
  isExtra?: boolean;
  cell(row: T): ReactNode;
};

/** Loads the data for one page of rows, such as names, and passes on the columns of that page. */
export type PageProps<T> = {
  rows: readonly T[];
  children(columns: readonly Column<T>[]): ReactNode;
};

type Props<T> = {
  /** The name of the table. */
  label: string;
  columns: readonly Column<T>[];
  pages: readonly (readonly T[])[];
  /** Reads what belongs to a page. Without it, all pages have the columns of the header. */
  Page?: ComponentType<PageProps<T>>;
  rowKey(row: T): string;
  /** Marks a row that stands out less, such as a revoked key. */
  isFaded?: (row: T) => boolean;
  hasMore?: boolean;
  isLoadingMore?: boolean;
  loadMore?: () => void;
};

const ROW_PX = 44;

/**
 * The browser lays out a group as a whole when it comes near. A group of 100 rows would block the
 * page for 250 ms, and groups of single rows make every jump slow.
 */
const GROUP_ROWS = 20;

/** A list holds at most these pages, of 100 rows each. */
const PAGES_MAX = 100;

export function Table<T>(props: Props<T>) {
  const { label, columns, Page, rowKey, isFaded, hasMore, loadMore, isLoadingMore } = props;
  // A page that arrives is rendered in small steps, so that the browser can handle input in
  // between.
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
          // biome-ignore lint/suspicious/noArrayIndexKey: pages keep their place
          <Fragment key={at}>
            {Page ? <Page rows={rows}>{group(rows)}</Page> : group(rows)(columns)}
          </Fragment>
        ))}
      </div>
      {hasMore && loadMore && pages.length < PAGES_MAX && (
        // While a page is not rendered yet, the end stays in view and would load the next page.
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
    // biome-ignore lint/a11y: a heading of the grid
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

/** `memo` loses the type parameter. */
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
  // The height alone: with a width, a group that was never near would be wider than its table.
  const style: CSSProperties = { containIntrinsicHeight: `auto ${rows.length * ROW_PX}px` };
  return (
    // biome-ignore lint/a11y: a row group of the grid
    <div role="rowgroup" className={styles.page} style={style}>
      {rows.map((row) => (
        // biome-ignore lint/a11y: a row of the grid
        <div
          key={rowKey(row)}
          role="row"
          className={classes(styles.row, isFaded?.(row) && styles.faded)}
          onKeyDown={moveBetweenRows}
        >
          {columns.map((column) => (
            // biome-ignore lint/a11y: a cell of the grid
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

/** The first link of a row; `j`, `k` and the arrow keys go from one to the next. */
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

/** Reads the next page when its end comes near; the button is for keyboards and failures. */
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
