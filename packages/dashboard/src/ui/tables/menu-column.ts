// The last column of a table, with a menu in each row.
import type { ReactNode } from 'react';
import type { Column } from './table.tsx';

export const menuColumn = <T>(label: string, cell: (row: T) => ReactNode): Column<T> => ({
  id: 'menu',
  title: '',
  label,
  width: '36px',
  align: 'end',
  card: 'menu',
  cell,
});
