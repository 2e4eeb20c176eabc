import { writeQuantity } from '../../database/measures/quantities.ts';
import { overAllPractices } from '../../database/statements/all-practices.ts';
import { findMissingLanguages } from '../../domain/messaging/check-ins/missing-languages.ts';
import { countFaultyCharts } from '../../domain/patients/chart/chart-rules.ts';
import { periodBorders } from '../../domain/values/time/periods.ts';
import { momentAt, writeLocal } from '../../domain/values/time/time.ts';
import { type DatabaseCheck, ok, warn } from './finding.ts';

/** Charts that are looked at, the newest of each practice: some seconds' worth. `patients check` looks at all. */
const MOST = 20_000;

export const CHART_CHECK: DatabaseCheck = {
  name: 'charts',
  async look({ db }) {
    const practices = await db.organization.findMany({ select: { id: true, timeZone: true }, orderBy: { id: 'asc' } });
    const { looked, faulty } = await countFaultyCharts(db, practices, MOST);
    const figures = { looked_at: looked, faulty };
    if (faulty === 0) return ok(`${writeQuantity(looked, 'chart keeps', 'charts keep')} the rules`, figures);
    return warn(
      `${faulty} of ${writeQuantity(looked, 'chart')} ${faulty === 1 ? 'breaks' : 'break'} a rule that applies to requests today`,
      'List them: npm run admin -- patients check',
      figures,
    );
  },
};

/** Surveys that are named in one line. */
const MOST_NAMED = 5;

export const SURVEY_CHECK: DatabaseCheck = {
  name: 'survey languages',
  async look({ db }) {
    const lacking = await findMissingLanguages(db);
    const figures = { survey_types_lacking_a_language: lacking.length };
    if (lacking.length === 0) return ok('patients are asked in their own languages', figures);
    const named = lacking
      .slice(0, MOST_NAMED)
      .map(({ organizationId, id, languages }) => `survey ${id} of practice ${organizationId} lacks ${languages.join(', ')}`);
    return warn(
      `${writeQuantity(lacking.length, 'survey type lacks', 'survey types lack')} a language that its patients speak: ${named.join('; ')}`,
      'In the file of the practice, add the translations as "variants" of a new survey, and end the old one',
      figures,
    );
  },
};

/** Years after this one whose days are compared, too. */
const YEARS = 2;

/** Whether Node and PostgreSQL have the same clocks in each zone in use, at each midnight of this year and those after it. */
export const ZONE_CHECK: DatabaseCheck = {
  name: 'time zones',
  async look({ db, database: { pool } }) {
    const used = await db.$queryRaw<{ zone: string }[]>`
      SELECT time_zone AS zone FROM organization UNION SELECT time_zone FROM office UNION SELECT time_zone FROM appointment
       UNION SELECT time_zone FROM patient WHERE time_zone IS NOT NULL ORDER BY 1 ${overAllPractices('all zones in use are compared')}`;
    const known = await pool.query<{ name: string }>(KNOWN, [used.map(({ zone }) => zone)]);
    const year = new Date().getUTCFullYear();
    const span = { first: new Date(Date.UTC(year, 0)), last: new Date(Date.UTC(year + YEARS + 1, 0)) };
    const differing = used.map(({ zone }) => zone).filter((zone) => !known.rows.some(({ name }) => name === zone));
    for (const { name: zone } of known.rows) {
      const midnights = periodBorders('day', span, zone);
      const { rows } = await pool.query<{ clocks: string }>(CLOCKS, [zone, midnights.map((midnight) => midnight.toISOString())]);
      if (rows[0]?.clocks !== midnights.map((midnight) => writeLocal(momentAt(midnight, zone).local)).join()) differing.push(zone);
    }
    const figures = { compared: used.length, differing: differing.length };
    if (differing.length === 0) return ok(`PostgreSQL and Node agree on all zones in use, until ${year + YEARS}`, figures);
    return warn(
      `PostgreSQL and Node differ about ${differing.join(', ')} between ${year} and ${year + YEARS}`,
      'This server uses only those of Node. Update the older time zone data before you write SQL reports by local day.',
      figures,
    );
  },
};

/** Values: zones. */
const KNOWN = 'SELECT name FROM pg_timezone_names WHERE name = ANY ($1::text[]) ORDER BY name';

/** The clocks of a zone at some instants. Values: zone, instants. */
const CLOCKS = `
  SELECT string_agg(to_char(at AT TIME ZONE $1::text, 'YYYY-MM-DD"T"HH24:MI:SS'), ',' ORDER BY at) AS clocks FROM unnest($2::timestamptz[]) AS at`;
