// Measures a node's memory, CPU time and pauses while it loads many keys.
import { createFinding, type Finding } from '../measure/finding.ts';
import { atMost } from '../measure/goal.ts';

const BYTES_PER_KEY_MAX = 128;
const CPU_SECONDS_MAX = 10;
const BLOCKED_MS_MAX = 50;
/** How long it should take to serialise a million keys and load them twice. */
export const LOADING_MS = 30_000;

export type Loaded = { cpuMs: number; wallMs: number; blockedMs: number; bytesPerKey: number };

export function findingsOfLoading(keys: number, loaded: Loaded): Finding[] {
  const { bytesPerKey, cpuMs, wallMs, blockedMs } = loaded;
  const showSeconds = (seconds: number) => `${seconds.toFixed(1)} s of CPU`;
  return [
    createFinding({
      name: `sdk: memory for each of ${keys} keys`,
      values: [bytesPerKey],
      show: (bytes) => `${bytes.toFixed(1)} bytes`,
      goal: atMost(BYTES_PER_KEY_MAX),
    }),
    createFinding({
      name: `sdk: work to load ${keys} keys`,
      values: [cpuMs / 1000],
      show: showSeconds,
      goal: atMost(CPU_SECONDS_MAX),
      ours: `${showSeconds(cpuMs / 1000)} in ${(wallMs / 1000).toFixed(1)} s`,
    }),
    createFinding({
      name: 'sdk: longest block of the event loop while loading',
      values: [blockedMs],
      show: (ms) => `${ms.toFixed(0)} ms`,
      goal: atMost(BLOCKED_MS_MAX),
    }),
  ];
}
