import { CPT_CODE_RULES, type CptCodeRule, type ManagementRule, type SupplyRule } from './cpt-code-rules.ts';

/** A patient's monitoring in one month. */
export interface MonthlyActivity {
  /** Whole minutes of reviews; overlapping reviews count once. */
  minutes: number;
  /** Number of days with readings. */
  days: number;
  liveContact: boolean;
}

export interface SupportedCode {
  code: string;
  units: number;
}

/** The amounts that are missing for a code, or for one more unit of it. */
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
  /** At most one for each service: for the code or unit that needs least. */
  missing: MissingStep[];
}

/** The rules that are in force in a month. @param firstDay of the month, `YYYY-MM-DD` */
export const rulesInForce = (firstDay: string): CptCodeRule[] =>
  CPT_CODE_RULES.filter(({ from, before }) => from <= firstDay && (before === null || firstDay < before));

/** Counts the CPT codes that a month supports, and finds the amounts that are missing for the next code of each service. */
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

/** Without live contact no code is supported; where the minutes suffice for a code, only the contact is missing. */
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

/** The highest base code, and the codes that are billed in addition to it. */
function reachedManagementCodes(minutes: number, rules: ManagementRule[]): SupportedCode[] {
  const reached = rules.filter(({ fromMinutes }) => minutes >= fromMinutes);
  const base = reached.findLast(({ after }) => after === null);
  const additional = reached.filter(({ after }) => after !== null && after === base?.code);
  return [...(base ? [base] : []), ...additional].map(({ code, fromMinutes, perMinutes }) => ({
    code,
    units: perMinutes === null ? 1 : 1 + Math.floor((minutes - fromMinutes) / perMinutes),
  }));
}

/** The minutes at which the next unit of a code is reached; infinity for a code of one unit that is reached. */
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
