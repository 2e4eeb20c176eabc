import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ChangedPage, ChangeQuery } from '../../../domain/changes/changed-records.ts';
import { optional } from '../../../http/wire/wire-types.ts';
import { showsConfirmation } from '../appointments/appointment.wire.ts';
import { easternTime, readEasternRange } from '../eastern-times.wire.ts';
import { longPaging, nextLink, pageLinkShapes, paging, previousLink, sameLink } from '../paging.ts';
import { idList, option } from '../parameters.ts';
import type { PatientShape } from '../patients/record/patient-record.wire.ts';
import { showsMore } from '../providers.wire.ts';

/** A client that may read the records may follow their changes: of the practice nothing is written. */
export const CHANGES = { tag: 'Changes', beyondDocument: true, scope: 'practice.read' } as const;

const ZONE = 'mm/dd/yyyy hh24:mi:ss in Eastern time, or a day';

const common = {
  leaveunprocessed: option().describe('Do not mark the records of this page as processed'),
  showprocessedstartdatetime: optional(easternTime()).describe(`Show already processed records from this time on: ${ZONE}`),
  showprocessedenddatetime: optional(easternTime()).describe(`Show already processed records until this time: ${ZONE}`),
};

const filter = (what: string) =>
  idList().optional().describe(`${what}, comma-separated or repeated; other records are left for later calls`);

export const changedPatientsQuery = z.object({
  ...common,
  'departmentid[]': filter('Primary departments'),
  'patientid[]': filter('Patient ids'),
  ...longPaging,
});

export const changedAppointmentsQuery = z.object({
  ...common,
  ...showsConfirmation,
  'departmentid[]': filter('Departments'),
  'patientid[]': filter('Patient ids'),
  'providerid[]': filter('Provider ids'),
  ...longPaging,
});

export const changedProvidersQuery = z.object({
  ...common,
  showallproviderids: option().describe('Include the lists of ids'),
  ...showsMore,
  ...paging,
});

type CommonQuery = z.output<z.ZodObject<typeof common>> & { limit: number; offset: number };

interface Filters {
  'departmentid[]'?: number[] | undefined;
  'patientid[]'?: number[] | undefined;
  'providerid[]'?: number[] | undefined;
}

/** @throws Failure invalid where the first time is after the last */
export async function toChangeQuery(query: CommonQuery & Filters): Promise<ChangeQuery> {
  const { leaveunprocessed, showprocessedstartdatetime: from, showprocessedenddatetime: to, limit, offset } = query;
  const names = { min: 'showprocessedstartdatetime', max: 'showprocessedenddatetime' };
  const isRange = typeof from === 'string' || typeof to === 'string';
  return {
    officeIds: query['departmentid[]'] ?? null,
    patientIds: query['patientid[]'] ?? null,
    providerIds: query['providerid[]'] ?? null,
    limit,
    offset,
    which: isRange ? await readEasternRange(from, to, names) : leaveunprocessed ? 'look' : 'take',
  };
}

/** The shape of a page of a feed, beside its records. */
export const changedListShape = {
  totalcount: z.int().describe('Total number of records; for waiting records, before this call'),
  ...pageLinkShapes,
};

/** The members of a page beside its records. Records that are handed out come no more, so that the next page begins with the first again. */
export function fromChangedPage(
  request: FastifyRequest,
  { limit, offset, which }: ChangeQuery,
  { total, hasMore, recordIds }: ChangedPage,
) {
  if (which === 'take') return { totalcount: total, next: hasMore ? sameLink(request) : undefined };
  return {
    totalcount: total,
    next: hasMore ? nextLink(request, { offset: offset + recordIds.length }) : undefined,
    previous: previousLink(request, { offset, limit }, total),
  };
}

/** A chart that the client may not see any more: its id, and nothing else of it. */
export const fromWithdrawnPatient = (id: number): z.input<typeof PatientShape> => ({
  patientid: String(id),
  status: 'deleted',
  hasmobileyn: null,
  hasmobile: null,
  emailexistsyn: null,
  emailexists: null,
  donotcallyn: false,
  donotcall: false,
  consenttotext: false,
  homeboundyn: false,
  homebound: false,
  medicationhistoryconsentverified: null,
  portalaccessgiven: 'false',
  privacyinformationverified: 'false',
});
