import { type DateRange, readRange } from '../../values/time/date-range.ts';

/** Without bounds and without a patient, whose entries have an index, a search goes so far back. */
const DEFAULT_DAYS_MS = 30 * 86_400_000;

interface WrittenAuditRange {
  from: string | undefined;
  to: string | undefined;
  patientId: number | undefined;
}

/** The range of time of a search of the audit. @param zone of the practice @throws Failure invalid naming `from` or `to` */
export async function readAuditRange(
  { from: min, to: max, patientId }: WrittenAuditRange,
  zone: () => Promise<string>,
): Promise<DateRange> {
  const range = await readRange({ min, max, fields: { min: 'from', max: 'to' } }, zone);
  const isOpen = range.from === null && range.before === null && patientId === undefined;
  return isOpen ? { ...range, from: new Date(Date.now() - DEFAULT_DAYS_MS) } : range;
}
