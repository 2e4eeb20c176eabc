import { drawnName } from './names.ts';

/** The number of rows of each kind in one practice. Ids are assigned, so that a number is the same row in every run. */
export interface PracticePlan {
  organizationId: number;
  /** Lower than the id of its first patient by one. */
  before: number;
  patients: number;
  appointments: number;
  /** The number of patients drawn from hashes; the others are copies of these charts, which takes a fifth of the time. */
  drawn: number;
  /** No registrations, insurances and balances. */
  chartsOnly: boolean;
}

/** 100,000, 1,000,000 or 10,000,000 patients in the measured practice. */
export type Size = 'quick' | 'million' | 'tenmillion';

export const OFFICES = 24;
/** Users who see patients, each of them a provider too, five to an office. */
export const PROVIDERS = 120;
/** Other users; the first is an administrator. */
export const STAFF = 60;
export const TYPES = 16;
/** Ids of one practice start above this many of the practice before. */
export const IDS = 1_000;

/** The measured practice and nine of a tenth of its size; the one of ten million charts is alone and has no appointments. */
export function practicePlans(size: Size): PracticePlan[] {
  const first = { organizationId: 1, before: 0 };
  if (size === 'tenmillion') return [{ ...first, patients: 10_000_000, appointments: 0, drawn: 1_000_000, chartsOnly: true }];
  const scale = size === 'quick' ? 10 : 1;
  const patients = 1_000_000 / scale;
  const large = { ...first, patients, appointments: 2 * patients, drawn: patients, chartsOnly: false };
  const each = 100_000 / scale;
  const others = Array.from({ length: 9 }, (_, index) => ({
    organizationId: index + 2,
    before: large.patients + index * each,
    patients: each,
    appointments: each,
    drawn: each,
    chartsOnly: false,
  }));
  return [large, ...others];
}

export interface Step {
  title: string;
  text: string;
  /** Run once for each part of this many rows, which `$1` and `$2` then are the first and last of. */
  rows?: number;
}

/** Even numbers from 0 to 1, the same in every run, by a hash of a row and of what is drawn for it. */
export const DRAWING = `
  CREATE FUNCTION pg_temp.u(row_id bigint, what bigint) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
    'SELECT (hashint8extended(row_id, what) & 4503599627370495) / 4503599627370496::float8';
  CREATE FUNCTION pg_temp.one_of(row_id bigint, what bigint, options text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
    'SELECT options[1 + ((hashint8extended(row_id, what) & 4503599627370495) % array_length(options, 1))]'`;

const CITIES = `ARRAY['Albany', 'Rochester', 'Buffalo', 'Syracuse', 'Yonkers', 'White Plains', 'Ithaca', 'Utica', 'Saratoga Springs', 'Kingston']`;

/** The practice, its groups, departments, rooms and people. */
export function tenancySteps({ organizationId }: PracticePlan): Step[] {
  const org = organizationId;
  const base = (org - 1) * IDS;
  return [
    {
      title: 'offices and people',
      text: `
        INSERT INTO organization (id, name, time_zone, phone, has_communicator, has_medication_history, updated_at)
        VALUES (${org}, 'Practice ${org}', 'America/New_York', '+15185550100', true, true, now());
        INSERT INTO provider_group (organization_id, id, name, updated_at)
        SELECT ${org}, ${base} + n, 'Group ' || n, now() FROM generate_series(1, 4) AS n;
        INSERT INTO office (organization_id, id, provider_group_id, name, time_zone, address1, city, state, zip, phone, updated_at)
        SELECT ${org}, ${base} + n, ${base} + 1 + n % 4, 'Office ' || n, CASE WHEN n % 6 = 0 THEN 'America/Chicago' ELSE 'America/New_York' END,
               n || ' Main Street', pg_temp.one_of(n, 1, ${CITIES}), 'NY', (12000 + n)::text, '+1518555' || (1000 + n), now()
          FROM generate_series(1, ${OFFICES}) AS n;
        INSERT INTO location (organization_id, id, office_id, name, city, state, updated_at)
        SELECT ${org}, ${base} + n, ${base} + 1 + n % ${OFFICES}, 'Room ' || n, 'Albany', 'NY', now() FROM generate_series(1, 48) AS n;
        INSERT INTO waiting_room (organization_id, id, office_id, name, updated_at)
        SELECT ${org}, ${base} + n, ${base} + n, 'Waiting room ' || n, now() FROM generate_series(1, ${OFFICES}) AS n;
        INSERT INTO employer (organization_id, id, name, phone, address, city, state, zip, updated_at)
        SELECT ${org}, ${base} + n, 'Employer ' || n, '+1518556' || (1000 + n), n || ' Commerce Drive', pg_temp.one_of(n, 2, ${CITIES}), 'NY', (12100 + n)::text, now()
          FROM generate_series(1, 500) AS n;
        INSERT INTO appointment_type (organization_id, id, name, description, duration_minutes, updated_at)
        SELECT ${org}, ${base} + n, 'Visit type ' || n, 'What happens at a visit of type ' || n, 15 + 15 * (n % 4), now()
          FROM generate_series(1, ${TYPES}) AS n`,
    },
    {
      title: 'users',
      text: `
        INSERT INTO "user" (organization_id, id, type, first_name, last_name, email, phone, updated_at)
        SELECT ${org}, ${base} + n, (CASE WHEN n <= ${PROVIDERS} THEN 'provider' WHEN n = ${PROVIDERS} + 1 THEN 'admin' ELSE 'staff' END)::user_type,
               ${drawnName('bench_first_name', 'pg_temp.u(n, 3)')}, ${drawnName('bench_last_name', 'pg_temp.u(n, 4)')}, 'user' || n || '@practice${org}.example', '+1518557' || (1000 + n), now()
          FROM generate_series(1, ${PROVIDERS + STAFF}) AS n`,
    },
    {
      title: 'providers',
      text: `
        INSERT INTO provider (organization_id, id, user_id, home_office_id, first_name, last_name, provider_type_id, updated_at)
        SELECT ${org}, id, id, ${base} + 1 + (id - ${base}) % ${OFFICES}, first_name, last_name, 'MD', now() FROM "user" WHERE organization_id = ${org} AND type = 'provider';
        INSERT INTO provider_office (organization_id, provider_id, office_id)
        SELECT ${org}, id, home_office_id FROM provider WHERE organization_id = ${org}`,
    },
  ];
}
