/**
 * Icons: inline SVG in the color of the surrounding text.
 *
 * - Icon: name: IconName, size? = 16, label? (without one, hidden from screen readers)
 * - Logo: size? = 24
 *
 * Invariant: icons consist of strokes on a grid of 16, drawn for this product. They cause no
 * request
 * and have no inline style.
 */
import type { VNode } from "preact";

/** The strokes of each icon as path data on a grid of 16. */
const PATHS = {
  activity: "M2.5 13.5v-7l4 3v-3l4 3v-7h3v11zM5 11.5h.01M8 11.5h.01M11 11.5h.01",
  arrowDown: "M8 3v10M4 9l4 4 4-4",
  arrowUp: "M8 13V3M4 7l4-4 4 4",
  ban: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M3.8 3.8l8.4 8.4",
  bookmark: "M4 2.5h8v11l-4-3-4 3z",
  building: "M3.5 13.5v-11h6v11M9.5 6.5h3v7M2 13.5h12M5.5 5.5h2M5.5 8h2M5.5 10.5h2",
  calendar: "M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2.5v3M10.5 2.5v3",
  chart: "M2.5 2.5v11h11M5.5 11V8M8.5 11V5M11.5 11V7",
  check: "M3 8.5l3.5 3.5L13 4.5",
  chevronDown: "M4 6l4 4 4-4",
  chevronLeft: "M10 4L6 8l4 4",
  chevronRight: "M6 4l4 4-4 4",
  clock: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 4.5V8l2.5 1.5",
  close: "M4 4l8 8M12 4l-8 8",
  code: "M5.5 4.5L2 8l3.5 3.5M10.5 4.5L14 8l-3.5 3.5",
  columns: "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10",
  contact: "M2 4h12v8.5H2zM2 4.5l6 4.5 6-4.5",
  copy: "M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1",
  download: "M8 2.5v8M4.5 7L8 10.5 11.5 7M2.5 13.5h11",
  edit: "M2.5 13.5l.7-3L10.5 3l2.5 2.5-7.5 7.3z",
  error: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 5v3.5M8 11h.01",
  eye:
    "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8" +
    "M8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4",
  eyeOff:
    "M2 2l12 12M6 4c.6-.3 1.3-.5 2-.5 4 0 6.5 4.5 6.5 4.5s-.8 1.5-2.2 2.7" +
    "M4 5C2.4 6.3 1.5 8 1.5 8S4 12.5 8 12.5c1 0 2-.3 2.8-.7",
  file: "M4 2h5l3.5 3.5V14H4zM9 2v3.5h3.5",
  filter: "M2 3.5h12L9.5 8.5v5l-3-1.5V8.5z",
  globe:
    "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M2 8h12" +
    "M8 2c2 2 2.5 4 2.5 6S10 12 8 14C6 12 5.5 10 5.5 8S6 4 8 2",
  info: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 7.5V11M8 5h.01",
  key: "M5.2 5.3a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4M7.9 8h6.1v2.5M11.5 8v2",
  link: "M6.5 9.5l3-3M7 4.5l1.5-1.5a3 3 0 0 1 4.5 4.5L11.5 9M9 11.5L7.5 13A3 3 0 0 1 3 8.5L4.5 7",
  list: "M5.5 4H14M5.5 8H14M5.5 12H14M2.5 4h.01M2.5 8h.01M2.5 12h.01",
  menu: "M2 4.5h12M2 8h12M2 11.5h12",
  monitor: "M2 3h12v8H2zM6 13.5h4",
  moon: "M13 9.5A5.5 5.5 0 1 1 6.5 3 4.5 4.5 0 0 0 13 9.5",
  more:
    "M2.7 8a.8.8 0 1 0 1.6 0 .8.8 0 1 0-1.6 0M7.2 8a.8.8 0 1 0 1.6 0 .8.8 0 1 0-1.6 0" +
    "M11.7 8a.8.8 0 1 0 1.6 0 .8.8 0 1 0-1.6 0",
  phone: "M3 2.5h2.5L7 6 5.3 7.2a8 8 0 0 0 3.5 3.5L10 9l3.5 1.5V13c-6 1.5-12-4.5-10.5-10.5",
  pin:
    "M8 14s4.5-4 4.5-7.5a4.5 4.5 0 0 0-9 0C3.5 10 8 14 8 14" +
    "M8 5.2a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3",
  plus: "M8 3v10M3 8h10",
  refresh: "M13.5 3v3.5H10M2.5 13V9.5H6M13 6.5A5.5 5.5 0 0 0 3.5 5M3 9.5A5.5 5.5 0 0 0 12.5 11",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.5 10.5l3 3",
  signOut: "M6.5 2.5h-4v11h4M6 8h8M11 5l3 3-3 3",
  sort: "M5 3v10M2.5 10.5L5 13l2.5-2.5M11 13V3M8.5 5.5L11 3l2.5 2.5",
  sun:
    "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7" +
    "M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7",
  table: "M2 3h12v10H2zM2 6.3h12M2 9.6h12M6 6.3V13",
  trash: "M2.5 4h11M6 4V2.5h4V4M4 4l.7 9.5h6.6L12 4M6.5 6.5v4.5M9.5 6.5v4.5",
  unmapped: "M5.5 6a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.5M8 12.5h.01",
  user:
    "M8 2.5a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4" +
    "M2.5 13.5c.5-2.5 2.5-3.8 5.5-3.8s5 1.3 5.5 3.8",
  users:
    "M6 3a2.3 2.3 0 1 0 0 4.6A2.3 2.3 0 0 0 6 3" +
    "M1.5 13c.3-2.3 2-3.5 4.5-3.5s4.2 1.2 4.5 3.5M10.5 3.3a2.3 2.3 0 0 1 0 4.2" +
    "M12 9.8c1.5.5 2.3 1.6 2.5 3.2",
  warning: "M8 2.5l6.2 11H1.8zM8 6.5v3.2M8 11.7h.01",
} as const;

/** Name of an icon. */
export type IconName = keyof typeof PATHS;

interface IconProps {
  name: IconName;
  size?: number;
  label?: string | undefined;
}

/** An icon. */
export function Icon({ name, size = 16, label }: IconProps): VNode {
  const path = <path d={PATHS[name]} />;
  const box = { class: "icon", width: size, height: size, viewBox: "0 0 16 16" };
  return label === undefined ? (
    <svg {...box} aria-hidden="true">
      {path}
    </svg>
  ) : (
    <svg {...box} role="img" aria-label={label}>
      {path}
    </svg>
  );
}

/** Centers of the sieve's holes on a grid of 24. */
const HOLES = [
  [8.5, 8.5],
  [12, 7.2],
  [15.5, 8.5],
  [7.2, 12],
  [12, 12],
  [16.8, 12],
  [8.5, 15.5],
  [12, 16.8],
  [15.5, 15.5],
] as const;

/** The sieve. */
export function Logo({ size = 24 }: { size?: number }): VNode {
  return (
    <svg class="logo" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <circle class="logo-rim" cx="12" cy="12" r="10" />
      {HOLES.map(([x, y]) => (
        <circle key={`${x} ${y}`} cx={x} cy={y} r="1.35" />
      ))}
    </svg>
  );
}
