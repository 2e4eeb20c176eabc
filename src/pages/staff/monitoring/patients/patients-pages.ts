import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { readMonitoringState } from '../../../../domain/monitoring/alerts/monitoring-state.ts';
import { listTrackedCodes } from '../../../../domain/monitoring/patients/conditions.ts';
import { findRisks } from '../../../../domain/monitoring/patients/patient-risk.ts';
import { listMonitoredPatients, type MonitoredSearch } from '../../../../domain/monitoring/patients/patients.ts';
import { listPrograms } from '../../../../domain/monitoring/programs/programs.ts';
import { listPatients } from '../../../../domain/patients/search/list.ts';
import { requireLinkPractice } from '../../../../domain/practices/link-practice.ts';
import { readInput } from '../../../../http/input/input.ts';
import { text } from '../../../../http/wire/wire-types.ts';
import { sendPage } from '../../../design/layout/page.ts';
import { staffBar } from '../../sign-in/staff-bar.ts';
import type { StaffPageDeps } from '../../sign-in/staff-page-deps.ts';
import { requireStaff } from '../../sign-in/staff-scope.ts';
import { enrolPage } from './enrol-view.ts';
import { LAST_READING, PATIENTS_ADDRESS, type PatientsFilter, patientsPage } from './patients-view.ts';

const written = (longest: number) => text(longest).default('').catch('');
const PatientsQuery = z.object({
  search: written(200),
  program: z
    .string()
    .regex(/^[1-9]\d{0,8}$/)
    .catch(''),
  condition: written(20),
  readings: z.enum(['within-1', 'none-2', 'none-7', 'none-30']).or(z.literal('')).catch(''),
  page: z.coerce.number().int().min(1).max(100_000).catch(1),
});
const EnrolQuery = z.object({ last: written(200), first: written(200) });
/** Patients of one page of the list, programs that its filter offers, and charts that a search shows. */
const [PATIENTS_LISTED, PROGRAMS_OFFERED, CHARTS_SHOWN] = [50, 200, 20];
const BY_NAME = { order: 'name', descending: false } as const;

/** The list of the monitored patients, and the search for one to enrol. To be registered in a staffScope. */
export function patientsPages(app: FastifyInstance, { unitOfWork }: StaffPageDeps): void {
  app.get(PATIENTS_ADDRESS, async (request, reply) => {
    const { page, ...filter } = readInput(PatientsQuery, request.query);
    const view = await unitOfWork.read(requireStaff(request), async (tx) => {
      const patients = await listMonitoredPatients(tx, toSearch(filter), { page, limit: PATIENTS_LISTED });
      const ids = patients.items.map(({ patient }) => patient.id);
      return {
        patients,
        risks: await findRisks(tx, ids),
        state: await readMonitoringState(tx),
        programs: (await listPrograms(tx, BY_NAME, { page: 1, limit: PROGRAMS_OFFERED })).items,
        codes: await listTrackedCodes(tx),
        practice: await requireLinkPractice(tx),
      };
    });
    return sendPage(reply, patientsPage({ ...view, filter, bar: staffBar('/monitoring', requireStaff(request)) }));
  });

  app.get('/monitoring/enrol', async (request, reply) => {
    const names = readInput(EnrolQuery, request.query);
    const view = await unitOfWork.read(requireStaff(request), async (tx) => {
      const search = { lastName: names.last || undefined, firstName: names.first || undefined };
      const isAsked = names.last !== '' || names.first !== '';
      const sort = { order: 'search', descending: false } as const;
      return {
        found: isAsked ? await listPatients(tx, search, sort, { page: 1, limit: CHARTS_SHOWN }) : null,
        state: await readMonitoringState(tx),
        practice: await requireLinkPractice(tx),
      };
    });
    return sendPage(reply, enrolPage({ ...view, names, bar: staffBar('/monitoring', requireStaff(request)) }));
  });
}

const DAY_MS = 86_400_000;

function toSearch({
  search,
  program,
  condition,
  readings,
}: PatientsFilter & { readings: keyof typeof LAST_READING | '' }): MonitoredSearch {
  const { days, has } = readings === '' ? { days: 0, has: false } : LAST_READING[readings];
  return {
    keyword: search,
    programId: program === '' ? undefined : Number(program),
    condition: condition === '' ? undefined : condition,
    readings: readings === '' ? undefined : { since: new Date(Date.now() - days * DAY_MS), has },
    sort: { order: 'risk', descending: true },
  };
}
