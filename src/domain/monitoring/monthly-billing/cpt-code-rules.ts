/**
 * What remote monitoring is billed by, as data: which service a code stands for, how much of it a month must have, and
 * from when until when that holds. A rule that changes gets an end, and another one follows it.
 */

/** A device's readings: on so many days of the month. */
export interface SupplyRule {
  service: 'supply';
  code: string;
  fromDays: number;
  /** Null: as many as there are. */
  toDays: number | null;
}

/** The team's work, in whole minutes of the month, with at least one live contact in it. */
export interface ManagementRule {
  service: 'management';
  code: string;
  /** What the first unit takes. */
  fromMinutes: number;
  /** Null: a unit is all there is of it. Else each further so many minutes are another unit. */
  perMinutes: number | null;
  /** The code that comes first, and is billed beside it; null where this one takes the place of lower ones. */
  after: string | null;
}

/** The days from and before which a rule holds, `YYYY-MM-DD`: of the month's first day. */
interface InForce {
  from: string;
  before: string | null;
  source: string;
}

export type CptCodeRule = (SupplyRule | ManagementRule) & InForce;

/** Of one service the codes exclude each other, but for what says that it comes after another. In order of their amount. */
export const CPT_CODE_RULES: readonly CptCodeRule[] = [
  {
    ...{ service: 'supply', code: '99445', fromDays: 2, toDays: 15 },
    ...{ from: '2026-01-01', before: null, source: 'CMS Physician Fee Schedule 2026' },
  },
  {
    ...{ service: 'supply', code: '99454', fromDays: 16, toDays: null },
    ...{ from: '2019-01-01', before: null, source: 'CMS Physician Fee Schedule 2019; unchanged in 2026' },
  },
  {
    ...{ service: 'management', code: '99470', fromMinutes: 10, perMinutes: null, after: null },
    ...{ from: '2026-01-01', before: null, source: 'CMS Physician Fee Schedule 2026' },
  },
  {
    ...{ service: 'management', code: '99457', fromMinutes: 20, perMinutes: null, after: null },
    ...{ from: '2019-01-01', before: null, source: 'CMS Physician Fee Schedule 2019; unchanged in 2026' },
  },
  {
    ...{ service: 'management', code: '99458', fromMinutes: 40, perMinutes: 20, after: '99457' },
    ...{ from: '2020-01-01', before: null, source: 'CMS Physician Fee Schedule 2020; unchanged in 2026' },
  },
];
