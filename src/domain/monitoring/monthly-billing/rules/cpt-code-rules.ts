import type { MonitoringReadings, MonitoringService } from '../../../../generated/prisma/client.ts';
import type { ItemKind } from '../../../messaging/check-ins/usual-items.ts';
import type { ReadingSource } from './evidence-types.ts';

/**
 * The rules of the CPT codes of remote monitoring, as data: the part of the service that a code is for, how much of it a month
 * must have, and the period in which the rule is in force. A rule that changes gets an end, and a new rule follows it.
 */

/** Set-up of a device and education of the patient, billed once an episode, when its days with readings are reached. */
export interface SetupRule {
  part: 'setup';
  code: string;
  fromDays: number;
}

/** Supply of a device, billed by the number of days with readings. */
export interface SupplyRule {
  part: 'supply';
  code: string;
  fromDays: number;
  /** Inclusive; null without an upper limit. */
  toDays: number | null;
}

/** Treatment management, billed by whole minutes of the care team in the month, with at least one live contact. */
export interface ManagementRule {
  part: 'management';
  code: string;
  /** Minutes that the first unit needs. */
  fromMinutes: number;
  /** Minutes that each further unit needs; null for a code of one unit. */
  perMinutes: number | null;
  /** The code that this one is billed in addition to; null for a code that replaces the lower ones of its part. */
  after: string | null;
}

/** The services of a rule, and the period in which it is in force, `YYYY-MM-DD`. The first day of the month decides. */
interface InForce {
  services: readonly MonitoringService[];
  from: string;
  before: string | null;
  source: string;
}

export type CptCodeRule = (SetupRule | SupplyRule | ManagementRule) & InForce;

const RPM: readonly MonitoringService[] = ['rpm'];
const RESPIRATORY: readonly MonitoringService[] = ['rtm_respiratory'];
const MUSCULOSKELETAL: readonly MonitoringService[] = ['rtm_musculoskeletal'];
const COGNITIVE_BEHAVIORAL: readonly MonitoringService[] = ['rtm_cognitive_behavioral'];
const RTM = [...RESPIRATORY, ...MUSCULOSKELETAL, ...COGNITIVE_BEHAVIORAL];

/** From one year of the fee schedule to the beginning of another. */
const years = (from: number, before: number | null = null) => ({
  from: `${from}-01-01`,
  before: before === null ? null : `${before}-01-01`,
  source: `CMS Physician Fee Schedule ${from}${before === null && from < 2026 ? '; unchanged in 2026' : ''}`,
});

const setup = (code: string, fromDays: number): SetupRule => ({ part: 'setup', code, fromDays });
const supply = (code: string, fromDays: number, toDays: number | null): SupplyRule => ({ part: 'supply', code, fromDays, toDays });
/** A code of one unit that replaces the lower ones. */
const management = (code: string, fromMinutes: number): ManagementRule => ({
  part: 'management',
  code,
  fromMinutes,
  perMinutes: null,
  after: null,
});
/** Each further 20 minutes after the 20 of another code. */
const further = (code: string, after: string): ManagementRule => ({ part: 'management', code, fromMinutes: 40, perMinutes: 20, after });

/**
 * Ordered by the amount that they need. Of one part of a service only one code is billed for a month, and beside it the codes
 * that name it as `after`.
 */
export const CPT_CODE_RULES: readonly CptCodeRule[] = [
  { services: RPM, ...setup('99453', 16), ...years(2019, 2026) },
  { services: RPM, ...setup('99453', 2), ...years(2026) },
  { services: RPM, ...supply('99445', 2, 15), ...years(2026) },
  { services: RPM, ...supply('99454', 16, null), ...years(2019) },
  { services: RPM, ...management('99470', 10), ...years(2026) },
  { services: RPM, ...management('99457', 20), ...years(2019) },
  { services: RPM, ...further('99458', '99457'), ...years(2020) },
  { services: RTM, ...setup('98975', 16), ...years(2022, 2026) },
  { services: RTM, ...setup('98975', 2), ...years(2026) },
  { services: RESPIRATORY, ...supply('98984', 2, 15), ...years(2026) },
  { services: RESPIRATORY, ...supply('98976', 16, null), ...years(2022) },
  { services: MUSCULOSKELETAL, ...supply('98985', 2, 15), ...years(2026) },
  { services: MUSCULOSKELETAL, ...supply('98977', 16, null), ...years(2022) },
  { services: COGNITIVE_BEHAVIORAL, ...supply('98986', 2, 15), ...years(2026) },
  { services: COGNITIVE_BEHAVIORAL, ...supply('98978', 16, null), ...years(2023) },
  { services: RTM, ...management('98979', 10), ...years(2026) },
  { services: RTM, ...management('98980', 20), ...years(2022) },
  { services: RTM, ...further('98981', '98980'), ...years(2022) },
];

/** The sources of readings that a rule accepts, and where it says so. */
const READING_RULES = {
  rpm: {
    sources: ['device'],
    source: 'CMS Physician Fee Schedule 2021: data are recorded and transmitted by the device, not reported by the patient',
  },
  rtm: {
    sources: ['device', 'self'],
    source: 'CMS Physician Fee Schedule 2022: therapeutic data may be reported by the patient or transmitted by the device',
  },
} as const satisfies Record<string, { sources: readonly ReadingSource[]; source: string }>;

const ANY_SOURCE: readonly ReadingSource[] = ['device', 'self', 'staff'];

/** The sources of readings that count for a service. @param policy of the practice */
export const listCountedSources = (service: MonitoringService, policy: MonitoringReadings): readonly ReadingSource[] =>
  policy === 'any' ? ANY_SOURCE : READING_RULES[service === 'rpm' ? 'rpm' : 'rtm'].sources;

/** The items whose readings count for a service: physiologic data for RPM, and for RTM those of its kind (CPT, since 2019 and 2022). */
export const COUNTED_KINDS: Readonly<Record<MonitoringService, ItemKind>> = {
  rpm: 'physiologic',
  rtm_respiratory: 'respiratory',
  rtm_musculoskeletal: 'musculoskeletal',
  rtm_cognitive_behavioral: 'cognitive_behavioral',
};
