// A column that shows how many active keys each object has in this environment.
import { count } from '../../ui/content/spans.ts';
import type { Column } from '../../ui/tables/table.tsx';

type Counts = ReadonlyMap<string, number>;

export const keyCountColumn = <T extends { id: string }>(
  title: string,
  counts: Counts,
): Column<T> => ({
  id: 'keys',
  title,
  width: '128px',
  align: 'end',
  card: 'fact',
  cell: ({ id }) => {
    const active = counts.get(id);
    return active === undefined ? '–' : count(active);
  },
});
