import { CPT_CODE_RULES, type CptCodeRule, type ManagementRule, type SupplyRule } from './cpt-code-rules.ts';

/** What there is of a patient in a month. */
export interface MonthlyActivity {
  /** Whole minutes; what overlaps counts once. */
  minutes: number;
  /** Days with readings. */
  days: number;
  liveContact: boolean;
}

export interface SupportedCode {
  code: string;
  units: number;
}

/** What a code, or one more unit of it, still needs. */
export interface MissingStep {
  code: string;
  minutes: number;
  days: number;
  liveContact: boolean;
  /** `4 minutes to 99457` */
  text: string;
}

export interface CptCodeCount {
  codes: SupportedCode[];
  /** The next step of each service; a service that has none is not here. */
  missing: MissingStep[];
}

/** The rules that hold in a month. @param firstDay `YYYY-MM-DD` */
export const rulesInForce = (firstDay: string): CptCodeRule[] =>
  CPT_CODE_RULES.filter(({ from, before }) => from <= firstDay && (before === null || firstDay < before));

/** What a month supports under the rules, and what is missing for the next step. */
export function countCptCodes(care: MonthlyActivity, rules: readonly CptCodeRule[]): CptCodeCount {
  const supply = countSupplyCodes(
    care,
    rules.filter((rule) => rule.service === 'supply'),
  );
  const management = countManagementCodes(
    care,
    rules.filter((rule) => rule.service === 'management'),
  );
  return {
    codes: [...supply.codes, ...management.codes],
    missing: [supply.next, management.next].filter((next) => next !== null),
  };
}

interface ServiceCodes {
  codes: SupportedCode[];
  next: MissingStep | null;
}

function countSupplyCodes({ days }: MonthlyActivity, rules: SupplyRule[]): ServiceCodes {
  const reached = rules.filter(({ fromDays, toDays }) => days >= fromDays && (toDays === null || days <= toDays));
  const next = rules.find(({ fromDays }) => days < fromDays);
  return {
    codes: reached.map(({ code }) => ({ code, units: 1 })),
    next: next ? missingStep(next.code, { days: next.fromDays - days }) : null,
  };
}

/** Without live contact nothing is supported, and for what the minutes would support that alone is missing. */
function countManagementCodes({ minutes, liveContact }: MonthlyActivity, rules: ManagementRule[]): ServiceCodes {
  const reached = reachedManagementCodes(minutes, rules);
  const last = reached.at(-1);
  if (last && !liveContact) return { codes: [], next: missingStep(last.code, { liveContact: true }) };
  const more = rules
    .map((rule) => ({ code: rule.code, at: minutesOfNextUnit(rule, minutes) }))
    .filter(({ at }) => at > minutes && Number.isFinite(at))
    .toSorted((one, other) => one.at - other.at)[0];
  return { codes: reached, next: more ? missingStep(more.code, { minutes: more.at - minutes, liveContact: !liveContact }) : null };
}

/** The highest code that stands alone, and what is billed beside it. */
function reachedManagementCodes(minutes: number, rules: ManagementRule[]): SupportedCode[] {
  const there = rules.filter(({ fromMinutes }) => minutes >= fromMinutes);
  const base = there.findLast(({ after }) => after === null);
  const beside = there.filter(({ after }) => after !== null && after === base?.code);
  return [...(base ? [base] : []), ...beside].map(({ code, fromMinutes, perMinutes }) => ({
    code,
    units: perMinutes === null ? 1 : 1 + Math.floor((minutes - fromMinutes) / perMinutes),
  }));
}

/** At how many minutes there is one more unit of a code. */
function minutesOfNextUnit({ fromMinutes, perMinutes }: ManagementRule, minutes: number): number {
  if (minutes < fromMinutes) return fromMinutes;
  return perMinutes === null ? Number.POSITIVE_INFINITY : fromMinutes + (Math.floor((minutes - fromMinutes) / perMinutes) + 1) * perMinutes;
}

function missingStep(
  code: string,
  { minutes = 0, days = 0, liveContact = false }: Partial<Omit<MissingStep, 'code' | 'words'>>,
): MissingStep {
  const parts = [
    ...(days > 0 ? [`${days} ${days === 1 ? 'day' : 'days'} of readings`] : []),
    ...(minutes > 0 ? [`${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`] : []),
    ...(liveContact ? ['live contact'] : []),
  ];
  return { code, minutes, days, liveContact, text: `${parts.join(' and ')} to ${code}` };
}
