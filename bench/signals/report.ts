import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One rate. Processor time is in milliseconds for a signal that arrived. */
export interface Measured {
  rate: number;
  /** Of the signals of the rate, those that arrived. */
  share: number;
  p50: number;
  p99: number;
  senderMs: number;
  receiverMs: number;
  bystanderMs: number;
  databaseMs: number;
}

interface SignalsResult {
  machine: readonly string[];
  measured: readonly Measured[];
  seconds: number;
  rooms: number;
}

/** Signals of a room of two while it connects: a description and fifteen candidates each way. */
const SIGNALS_OF_A_ROOM = 32;
/** The 99th percentile of the delays, in milliseconds, and the share that arrives, past which a rate is too high. */
const LIMIT = { delayMs: 250, share: 0.95 } as const;

export const isTooMuch = ({ share, p99 }: Measured): boolean => share < LIMIT.share || p99 > LIMIT.delayMs;
const highest = (measured: readonly Measured[]): number =>
  Math.max(0, ...measured.filter((one) => !isTooMuch(one)).map(({ rate }) => rate));

export function signalsText({ machine, measured, seconds, rooms }: SignalsResult): string {
  const most = highest(measured);
  return `# Signals between processes

Made by \`npm run bench -- --signals\`: signals of ${rooms} rooms of two from one process to another, at rates that rise, for ${seconds} s each.
One in sixteen is a description of 4.6 KB, the others are candidates. A third process has no room: a server that is busy with others.
A rate is too high where the 99th percentile of the delays is above ${LIMIT.delayMs} ms, or less than ${LIMIT.share * 100} % arrives, in each of three tries.

- ${machine.join('\n- ')}
- Highest rate that was held: **${most}** signals a second (${most / SIGNALS_OF_A_ROOM} rooms of two that connect each second, at
  ${SIGNALS_OF_A_ROOM} signals a room).

${table(measured)}`;
}

function table(measured: readonly Measured[]): string {
  const rows = measured.map((one) => {
    const cpu = [one.senderMs, one.receiverMs, one.bystanderMs, one.databaseMs].map((ms) => ms.toFixed(3));
    const held = isTooMuch(one) ? 'no' : 'yes';
    return `| ${[one.rate, held, `${(one.share * 100).toFixed(1)} %`, one.p50.toFixed(1), one.p99.toFixed(1), ...cpu].join(' | ')} |`;
  });
  return `Processor time in ms a signal.

| signals/s | held | arrived | p50, ms | p99, ms | sender | receiver | third process | PostgreSQL |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}

/** @returns the path of the file */
export async function writeSignals(text: string): Promise<string> {
  const folder = join(import.meta.dirname, '..', 'results');
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'signals.md');
  await writeFile(path, text);
  return path;
}
