// Renders loaded data, or says that it is loading, failed to load, wasn't found or isn't allowed.
import { KeyrailError, KeyrailUnreachable } from '@keyrail/client';
import type { ReactNode } from 'react';
import { en } from '../texts/en.ts';
import { Empty } from '../ui/feedback/empty.tsx';
import { Problem } from '../ui/feedback/problem.tsx';
import { SkeletonRows } from '../ui/feedback/skeleton.tsx';

type Query<T> = { data: T | undefined; error: Error | null; refetch(): unknown };

type Props<T> = {
  query: Query<T>;
  skeleton?: ReactNode;
  /** The error's title, such as "Couldn’t load keys." */
  failed?: string;
  /** Shown for a 404: what wasn't found, and where to go next. */
  gone?: ReactNode;
  children(answer: T): ReactNode;
};

export function Loaded<T>({ query, skeleton, failed, gone, children }: Props<T>) {
  const { data: answer, error } = query;
  const status = error instanceof KeyrailError ? error.status : null;
  if (status === 404 || isNoId(error)) return gone ?? <Gone />;
  if (status === 403) return <NotAllowed />;
  const problem = error && (
    <Problem error={error} title={failed ?? en.problem.notRead} onRetry={() => query.refetch()} />
  );
  if (answer === undefined) return problem ?? skeleton ?? <SkeletonRows />;
  // Data loaded earlier stays visible below the error. If the server can't be reached, there is
  // only one message for the whole page, in a bar at the top.
  return (
    <>
      {!(error instanceof KeyrailUnreachable) && problem}
      {children(answer)}
    </>
  );
}

/** True if the ID in the URL is malformed, which is treated as "not found". */
const isNoId = (error: Error | null): boolean =>
  error instanceof KeyrailError &&
  error.status === 400 &&
  error.details.some(({ path }) => path === 'id');

/** Adapts the result of `useList` for `Loaded`, because it has pages instead of `data`. */
export const asQuery = <T,>(list: {
  pages: T | undefined;
  error: Error | null;
  refetch(): unknown;
}): Query<T> => ({ data: list.pages, error: list.error, refetch: list.refetch });

export const Gone = ({
  title = en.gone.title,
  children = en.gone.text,
  action,
  rank = 2,
}: {
  title?: string;
  children?: ReactNode;
  action?: ReactNode;
  rank?: 1 | 2;
}) => (
  <Empty icon="stop" title={title} action={action} rank={rank} isList={false}>
    {children}
  </Empty>
);

export const NotAllowed = () => (
  <Empty icon="secret" title={en.notAllowed.title} isList={false}>
    {en.notAllowed.text}
  </Empty>
);
