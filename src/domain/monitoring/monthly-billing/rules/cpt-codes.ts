import type { MonitoringService } from '../../../../generated/prisma/client.ts';
import { CPT_CODE_RULES, type CptCodeRule, type ManagementRule, type SetupRule, type SupplyRule } from './cpt-code-rules.ts';
import { MAX_PLAUSIBLE_UNITS } from './holds.ts';

/** A patient's monitoring in one month, of which only what counts is counted. */
export interface MonthlyActivity {
  service: MonitoringService;
  /** Whole minutes of reviews and visits; time that overlaps counts once. */
  minutes: number;
  /** Number of days of the month with readings. */
  days: number;
  liveContact: boolean;
  /** Whether a consent holds at the end of the month. */
  consent: boolean;
  /** The supply periods that end in the month, by time. */
  supply: SupplyPeriod[];
  /** Days with readings of each episode whose set-up no earlier month supported. */
  setups: number[];
  /** Units of a code that an admin released; above four, others are held. */
  releasedUnits?: number | undefined;
}

export interface SupplyPeriod {
  /** Number of days with readings. */
  days: number;
  /** First and last day, `2026-11-01`; null for the calendar month. */
  from: string | null;
  to: string | null;
}

export interface SupportedCode {
  code: string;
  units: number;
  /** The supply period of the code, where it is not the calendar month. */
  period: SupplyPeriod | null;
}

/** The amounts that are missing for a code, or for one more unit of it. */
export interface MissingStep {
  code: string;
  minutes: number;
  days: number;
  liveContact: boolean;
  consent: boolean;
  /** `4 minutes to 99457` */
  text: string;
}

/** Units that are not billed until an admin releases them. */
export interface HeldUnits {
  code: string;
  /** Units that the minutes support. */
  supported: number;
  held: number;
}

export interface CptCodeCount {
  codes: SupportedCode[];
  heldUnits: HeldUnits[];
  /** At most one for each part of the service: for the code or unit that needs least. */
  missing: MissingStep[];
}

/** The rules that are in force in a month. @param firstDay of the month, `YYYY-MM-DD` */
export const rulesInForce = (firstDay: string): CptCodeRule[] =>
  CPT_CODE_RULES.filter(({ from, before }) => from <= firstDay && (before === null || firstDay < before));

/** Counts the CPT codes that a month supports, and finds the amounts that are missing for the next code of each part. */
export function countCptCodes(care: MonthlyActivity, rules: readonly CptCodeRule[]): CptCodeCount {
  const own = rules.filter(({ services }) => services.includes(care.service));
  const parts = [
    countSetupCodes(
      care,
      own.filter((rule) => rule.part === 'setup'),
    ),
    countSupplyCodes(
      care,
      own.filter((rule) => rule.part === 'supply'),
    ),
    countManagementCodes(
      care,
      own.filter((rule) => rule.part === 'management'),
    ),
  ];
  const codes = parts.flatMap((part) => part.codes);
  const most = Math.max(MAX_PLAUSIBLE_UNITS, care.releasedUnits ?? 0);
  return {
    codes: codes.map((one) => ({ ...one, units: Math.min(one.units, most) })),
    heldUnits: codes.filter(({ units }) => units > most).map(({ code, units }) => ({ code, supported: units, held: units - most })),
    missing: parts.flatMap(({ next }) => next ?? []),
  };
}

interface PartCodes {
  codes: SupportedCode[];
  next: MissingStep | null;
}

const single = (code: string, period: SupplyPeriod | null = null): SupportedCode => ({ code, units: 1, period });

function countSetupCodes({ setups, consent }: MonthlyActivity, [rule]: SetupRule[]): PartCodes {
  if (!rule) return { codes: [], next: null };
  const pending = setups.find((days) => days < rule.fromDays);
  return {
    codes: setups.filter((days) => days >= rule.fromDays).map(() => single(rule.code)),
    next: pending === undefined ? null : missingStep(rule.code, { days: rule.fromDays - pending, consent: !consent }),
  };
}

function countSupplyCodes({ supply, consent }: MonthlyActivity, rules: SupplyRule[]): PartCodes {
  const codes = supply.flatMap((period) =>
    rules
      .filter(({ fromDays, toDays }) => period.days >= fromDays && (toDays === null || period.days <= toDays))
      .map(({ code }) => single(code, period.from === null ? null : period)),
  );
  const last = supply.at(-1);
  const next = last && rules.find(({ fromDays }) => last.days < fromDays);
  return { codes, next: next ? missingStep(next.code, { days: next.fromDays - last.days, consent: !consent }) : null };
}

/** Without live contact and a day with readings no code is supported; where the minutes suffice for a code, only these are missing. */
function countManagementCodes({ minutes, days, liveContact, consent }: MonthlyActivity, rules: ManagementRule[]): PartCodes {
  const reached = listManagementCodes(minutes, rules);
  const last = reached.at(-1);
  const lacks = { days: days > 0 ? 0 : 1, liveContact: !liveContact, consent: !consent };
  if (last && (lacks.days > 0 || lacks.liveContact)) return { codes: [], next: missingStep(last.code, lacks) };
  const more = rules
    .map((rule) => ({ code: rule.code, at: minutesOfNextUnit(rule, minutes) }))
    .filter(({ at }) => at > minutes && Number.isFinite(at))
    .toSorted((one, other) => one.at - other.at)[0];
  return { codes: reached, next: more ? missingStep(more.code, { ...lacks, minutes: more.at - minutes }) : null };
}

/** The highest base code, and the codes that are billed in addition to it. */
function listManagementCodes(minutes: number, rules: ManagementRule[]): SupportedCode[] {
  const reached = rules.filter(({ fromMinutes }) => minutes >= fromMinutes);
  const base = reached.findLast(({ after }) => after === null);
  const additional = reached.filter(({ after }) => after !== null && after === base?.code);
  return [...(base ? [base] : []), ...additional].map(({ code, fromMinutes, perMinutes }) => ({
    ...single(code),
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
  { minutes = 0, days = 0, liveContact = false, consent = false }: Partial<Omit<MissingStep, 'code' | 'text'>>,
): MissingStep {
  const parts = [
    ...(consent ? ['consent'] : []),
    ...(days > 0 ? [`${days} ${days === 1 ? 'day' : 'days'} of readings`] : []),
    ...(minutes > 0 ? [`${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`] : []),
    ...(liveContact ? ['live contact'] : []),
  ];
  const list = [parts.slice(0, -1).join(', '), ...parts.slice(-1)].filter(Boolean).join(' and ');
  return { code, minutes, days, liveContact, consent, text: `${list} to ${code}` };
}
