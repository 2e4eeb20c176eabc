import { counted } from '../../database/measures/quantities.ts';
import { countFaultyCharts } from '../../domain/patients/chart/chart-rules.ts';
import { type DatabaseCheck, ok, warn } from './finding.ts';

/** Charts that are looked at, the newest of each practice: some seconds' worth. `patients check` looks at all. */
const MOST = 20_000;

export const CHART_CHECK: DatabaseCheck = {
  name: 'charts',
  async look({ db }) {
    const practices = await db.organization.findMany({ select: { id: true, timeZone: true }, orderBy: { id: 'asc' } });
    const { looked, faulty } = await countFaultyCharts(db, practices, MOST);
    const figures = { looked_at: looked, faulty };
    if (faulty === 0) return ok(`${counted(looked, 'chart keeps', 'charts keep')} the rules`, figures);
    return warn(
      `${faulty} of ${counted(looked, 'chart')} ${faulty === 1 ? 'breaks' : 'break'} a rule that requests must keep today`,
      'See which: npm run admin -- patients check',
      figures,
    );
  },
};
