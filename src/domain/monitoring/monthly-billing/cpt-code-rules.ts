/**
 * The rules of the CPT codes of remote monitoring, as data: the service of a code, how much of it a month must have, and the
 * period in which the rule is in force. A rule that changes gets an end, and a new rule follows it.
 */

/** Supply of a device, billed by the number of days in the month with readings. */
export interface SupplyRule {
  service: 'supply';
  code: string;
  fromDays: number;
  /** Inclusive; null without an upper limit. */
  toDays: number | null;
}

/** Treatment management, billed by whole minutes of the care team in the month, with at least one live contact. */
export interface ManagementRule {
  service: 'management';
  code: string;
  /** Minutes that the first unit needs. */
  fromMinutes: number;
  /** Minutes that each further unit needs; null for a code of one unit. */
  perMinutes: number | null;
  /** The code that this one is billed in addition to; null for a code that replaces the lower ones of its service. */
  after: string | null;
}

/** The period in which a rule is in force, `YYYY-MM-DD`. The first day of the month decides. */
interface InForce {
  from: string;
  before: string | null;
  source: string;
}

export type CptCodeRule = (SupplyRule | ManagementRule) & InForce;

/**
 * Ordered by the amount that they need. Of one service only one code is billed for a month, and beside it the codes that name
 * it as `after`.
 */
export const CPT_CODE_RULES: readonly CptCodeRule[] = [
  {
    service: 'supply',
    code: '99445',
    fromDays: 2,
    toDays: 15,
    from: '2026-01-01',
    before: null,
    source: 'CMS Physician Fee Schedule 2026',
  },
  {
    service: 'supply',
    code: '99454',
    fromDays: 16,
    toDays: null,
    from: '2019-01-01',
    before: null,
    source: 'CMS Physician Fee Schedule 2019; unchanged in 2026',
  },
  {
    service: 'management',
    code: '99470',
    fromMinutes: 10,
    perMinutes: null,
    after: null,
    from: '2026-01-01',
    before: null,
    source: 'CMS Physician Fee Schedule 2026',
  },
  {
    service: 'management',
    code: '99457',
    fromMinutes: 20,
    perMinutes: null,
    after: null,
    from: '2019-01-01',
    before: null,
    source: 'CMS Physician Fee Schedule 2019; unchanged in 2026',
  },
  {
    service: 'management',
    code: '99458',
    fromMinutes: 40,
    perMinutes: 20,
    after: '99457',
    from: '2020-01-01',
    before: null,
    source: 'CMS Physician Fee Schedule 2020; unchanged in 2026',
  },
];
