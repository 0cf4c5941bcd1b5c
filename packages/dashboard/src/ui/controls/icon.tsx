// All icons, drawn as strokes on a 16-pixel grid in the text colour. Screen readers ignore them, so
// every control needs text or a label.

// biome-ignore format: one line for each icon
const strokes = {
  account: 'M8 8.2a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2ZM2.9 13.6c.7-2.4 2.6-3.7 5.1-3.7s4.4 1.3 5.1 3.7',
  arrow: 'M3 8h10M9 4l4 4-4 4',
  audit: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01',
  check: 'm3 8.5 3.2 3.2L13 4.8',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 5v3.2l2.2 1.4',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M6 6h7v7.5H6zM10 6V2.5H3V10h3',
  down: 'm4 6 4 4 4-4',
  download: 'M8 2.5v7.5M4.8 7 8 10.2 11.2 7M3 13.5h10',
  edit: 'M10.8 3 13 5.2 5.7 12.5 3 13l.5-2.7zM9.3 4.5l2.2 2.2',
  embed: 'M5 4.5 1.5 8 5 11.5M11 4.5 14.5 8 11 11.5M9.2 3 6.8 13',
  explain: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.7 10.7 14 14M5 7l1.5 1.5L9.2 5.6',
  external: 'M9.5 2.5h4v4M13.5 2.5 7.5 8.5M6 3H2.5v10.5H13V10',
  eye: 'M1.5 8S3.8 3.8 8 3.8 14.5 8 14.5 8 12.2 12.2 8 12.2 1.5 8 1.5 8ZM8 9.9a1.9 1.9 0 1 0 0-3.8 1.9 1.9 0 0 0 0 3.8Z',
  key: 'M5.2 13.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM7.4 8.4 13 2.8M10.4 5.4l2 2M12 3.8l1.3 1.3',
  members: 'M6 7.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6ZM1.7 13c.5-2.2 2.1-3.4 4.3-3.4s3.8 1.2 4.3 3.4M10.6 3.2a2.2 2.2 0 0 1 0 4.1M12 9.9c1.3.5 2 1.6 2.3 3.1',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  dark: 'M13.3 9.6A5.8 5.8 0 0 1 6.4 2.7a5.6 5.6 0 1 0 6.9 6.9Z',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  node: 'M8 5.3a1.9 1.9 0 1 0 0-3.8 1.9 1.9 0 0 0 0 3.8ZM3.4 14.3a1.9 1.9 0 1 0 0-3.8 1.9 1.9 0 0 0 0 3.8ZM12.6 14.3a1.9 1.9 0 1 0 0-3.8 1.9 1.9 0 0 0 0 3.8ZM7.1 5.1 4.3 10.7M8.9 5.1l2.8 5.6',
  overview: 'M2.5 2.5H7V9H2.5zM9 2.5h4.5V6H9zM9 8h4.5v5.5H9zM2.5 11H7v2.5H2.5z',
  pause: 'M6 4v8M10 4v8',
  plus: 'M8 3v10M3 8h10',
  project: 'M8 1.8 13.6 5v6L8 14.2 2.4 11V5zM2.6 5.1 8 8.2l5.4-3.1M8 8.2v6',
  right: 'm6 4 4 4-4 4',
  rotate: 'M13 6.5A5.3 5.3 0 0 0 3.3 5.4M13.2 2.8v3.7H9.5M3 9.5a5.3 5.3 0 0 0 9.7 1.1M2.8 13.2V9.5h3.7',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.7 10.7 14 14',
  secret: 'M3.5 7h9v6.5h-9zM5.3 7V5a2.7 2.7 0 0 1 5.4 0v2M8 9.6v1.4',
  settings: 'M2 4.5h6.5M11.5 4.5H14M2 11.5h2.5M7.5 11.5H14M10 6a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM6 13a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z',
  signOut: 'M6.5 2.5h-4v11h4M10 4.8 13.2 8 10 11.2M13.2 8H6',
  stop: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM3.8 3.8l8.4 8.4',
  light: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6ZM8 1.3v1.2M8 13.5v1.2M1.3 8h1.2M13.5 8h1.2M3.3 3.3l.8.8M11.9 11.9l.8.8M3.3 12.7l.8-.8M11.9 4.1l.8-.8',
  switcher: 'm5 6 3-3 3 3M5 10l3 3 3-3',
  system: 'M1.5 8.5h2.8L6.2 3l3.3 10 2-4.5h3',
  tenant: 'M3 14V2.5h6V14M9 6.5h4V14M1.8 14h12.4M5.2 5.2h1.6M5.2 8h1.6M5.2 10.8h1.6',
  trash: 'M2.8 4.2h10.4M6 4V2.3h4V4M4.2 4.2l.6 9.3h6.4l.6-9.3M6.7 6.8v4M9.3 6.8v4',
  usage: 'M2.5 13.5h11M4.2 11V8.2M8 11V3.5M11.8 11V6',
  warning: 'M8 2.3 14.4 13.4H1.6zM8 6.6v3M8 11.4h.01',
  webhook: 'M9.3 1.8 3.2 9h4.3l-.8 5.2L12.8 7H8.5z',
} as const;

export type IconName = keyof typeof strokes;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' || name === 'audit' ? 1.75 : 1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={strokes[name]} />
    </svg>
  );
}
