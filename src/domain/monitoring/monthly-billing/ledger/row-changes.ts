import { type ClosedRow, canonicalJson } from './closed-documents.ts';

/** The difference of a patient who came up after the closing. */
export const NOT_CLOSED_WITH = 'not in the closed month';

const writeCodes = ({ codes }: ClosedRow): string =>
  codes
    .map(({ code, units, period }) => `${code}${units === 1 ? '' : `x${units}`}${period?.from ? ` from ${period.from}` : ''}`)
    .join(' ') || 'none';

/** The number of what is left out: `1 review`, `2 99458`. */
export const writeCount = ({ count, code, kind }: { count: number; code: string | null; kind: string }): string =>
  `${count} ${code ?? (count === 1 ? kind.replace(/s$/, '') : kind)}`;

/** The codes that a patient who came up after the closing would have. */
export const describeCodes = (current: ClosedRow): string[] =>
  current.codes.length === 0 ? [] : [`codes: ${writeCodes(current)} instead of none`];

/** Parts of a row that are compared as they are shown. */
const FIGURES: readonly [string, (row: ClosedRow) => string][] = [
  ['codes', writeCodes],
  ['service', ({ service }) => service],
  ['minutes', ({ minutes }) => String(minutes)],
  ['days with readings', ({ days }) => String(days)],
  ['readings', ({ readings }) => String(readings)],
  ['live contact', ({ liveContact }) => (liveContact ? 'yes' : 'no')],
  ['consent', ({ consentOnFile }) => consentOnFile?.givenAt.toISOString().slice(0, 10) ?? 'none'],
];

/** The differences between a closed row and the same row as it is now, in plain words: `minutes: 20 instead of 16`. */
export function describeChanges(closed: ClosedRow, current: ClosedRow): string[] {
  const figures = FIGURES.flatMap(([name, figure]) =>
    figure(closed) === figure(current) ? [] : [`${name}: ${figure(current)} instead of ${figure(closed)}`],
  );
  const added = current.reviewIds.filter((id) => !closed.reviewIds.includes(id));
  const removed = closed.reviewIds.filter((id) => !current.reviewIds.includes(id));
  return [
    ...figures,
    ...(added.length > 0 ? [`reviews added: ${added.join(', ')}`] : []),
    ...(removed.length > 0 ? [`reviews removed: ${removed.join(', ')}`] : []),
    ...(isSame(closed.leftOut, current.leftOut) ? [] : ['records that do not count have changed']),
    ...(isSame(closed.holds, current.holds) ? [] : ['holds have changed']),
  ];
}

const isSame = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other);
