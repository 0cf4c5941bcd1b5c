// SVG paths for the icons, and for the shapes that show a key's state.
import type { Shape } from '../core/api-key.ts';

const strokes = {
  plus: 'M8 3.5v9M3.5 8h9',
  close: 'm4 4 8 8M12 4l-8 8',
  key: 'M10.2 9.3a3.6 3.6 0 1 0-3-3L2.5 11v2.5H5V12h1.5v-1.5H8zM11 5h.01',
  rotate: 'M13 8a5 5 0 0 1-9 3M3 8a5 5 0 0 1 9-3m.2-2.5V5h-2.5M3.8 13.5V11h2.5',
  revoke: 'M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM4.2 4.2l7.6 7.6',
  usage: 'M3 13V8.5M8 13V3M13 13V6',
  copy: 'M6 5.5V3h7v7h-2.5M3 6h7v7H3z',
  check: 'm3.5 8.5 3 3 6-7',
  warning: 'M8 2.5 14.5 13h-13zM8 6.5v3M8 11.3h.01',
  flask: 'M6.5 2.5v4L3 12.2a.9.9 0 0 0 .8 1.3h8.4a.9.9 0 0 0 .8-1.3L9.5 6.5v-4M5.5 2.500h5M5 10h6',
};

export type IconName = keyof typeof strokes | 'menu';

export const Icon = ({ name }: { name: IconName }) => (
  <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" class="icon">
    {name === 'menu' ? (
      [3, 8, 13].map((x) => <circle key={x} cx={x} cy="8" r="1.4" fill="currentColor" />)
    ) : (
      <path
        d={strokes[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    )}
  </svg>
);

const filled: Partial<Record<Shape, string>> = {
  full: 'M6 2a4 4 0 1 0 0 8 4 4 0 0 0 0-8Z',
  triangle: 'M6 1.8 11 10.5H1z',
  half: 'M6 2.5a3.5 3.5 0 0 1 0 7z',
};

const RING = 'M6 2.500a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7Z';
const lines: Partial<Record<Shape, string>> = {
  half: RING,
  ring: RING,
  pause: 'M4 3v6M8 3v6',
  cross: 'm3 3 6 6M9 3 3 9',
  clock: `${RING}M6 4.300v1.900l1.2.8`,
};

export const StateShape = ({ shape }: { shape: Shape }) => (
  <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true" class="icon">
    <path d={filled[shape] ?? ''} fill="currentColor" />
    <path
      d={lines[shape] ?? ''}
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
    />
  </svg>
);
