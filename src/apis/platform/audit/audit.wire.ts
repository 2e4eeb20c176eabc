import { z } from 'zod';
import type { ChainReport } from '../../../domain/audit/chain/verify-chain.ts';
import { AUDIT_ACTIONS } from '../../../domain/journal.ts';
import type { ShownAuditEntry } from '../../../domain/logs/audit-search.ts';
import { writeInstant } from '../../../domain/values/time/time.ts';
import { FORMAT } from '../../../http/endpoints/run/csv-endpoint.ts';
import { one } from '../../../http/wire/envelopes.ts';
import { dateBound, id, instant, longId, toNumber } from '../../../http/wire/wire-types.ts';

const EntryShape = z
  .strictObject({
    uuid: z.int().describe('Id of the entry'),
    at: instant().describe('When it was done'),
    actor: z.string().describe('Who did it: user:12, client:… , operator, job:…'),
    action: z.string().describe('What was done, such as read, search, update, sign_in'),
    resource: z.string().describe('Kind of record'),
    resource_ids: z.array(z.int()).describe('Ids of the records; empty for a restricted patient'),
    patient_ids: z.array(z.int()).describe('Patients of the records, except restricted ones'),
    patient_restricted: z.boolean().describe('Whether it is about a restricted or blocked chart, which is not named'),
    operation: z.string().describe('The operation, as METHOD /path/template, or the command'),
    request_id: z.string().nullable().describe('Id of the request; null without one'),
    address: z.string().nullable().describe('Network address; null without one'),
    detail: z.string().nullable().describe('Details, without patient data'),
  })
  .meta({ id: 'AuditEntry' });

export const AuditList = z
  .strictObject({
    data: z.array(EntryShape).describe('The entries of this page, newest first'),
    links: z.strictObject({ next: z.string().nullable().describe('Address of the older entries; null on the last page') }),
  })
  .meta({ id: 'AuditEntryList' });

const limitError = 'must be an integer from 1 to 1000';
export const auditQuery = z.object({
  patient: id().optional().describe('Patient id: only entries about this chart'),
  user: id().optional().describe('User id: only entries of this user'),
  client: id().optional().describe('Client id in this practice: only entries of this API client'),
  action: z.enum(AUDIT_ACTIONS).optional().describe('Only this action'),
  from: dateBound()
    .optional()
    .describe('Only from then on: a day of the practice, or a date and time. Without a patient and `to`, defaults to 30 days ago'),
  to: dateBound().optional().describe('Until this day (inclusive), or date and time'),
  before: longId().optional().describe('Only entries older than this one; set in the link to the next page'),
  limit: z
    .preprocess(toNumber(4), z.int({ error: limitError }).min(1, { error: limitError }).max(1_000, { error: limitError }))
    .default(100)
    .describe('Entries per page'),
  ...FORMAT,
});

export const fromEntry = (entry: ShownAuditEntry): z.input<typeof EntryShape> => ({
  uuid: Number(entry.id),
  at: writeInstant(entry.at),
  actor: entry.actor,
  action: entry.action,
  resource: entry.resource,
  resource_ids: entry.resourceIds,
  patient_ids: entry.patientIds,
  patient_restricted: entry.patientRestricted,
  operation: entry.operation,
  request_id: entry.requestId,
  address: entry.address,
  detail: entry.detail,
});

export const VerifyResponse = one(
  z
    .strictObject({
      holds: z.boolean().describe('Whether every entry is unchanged since it was sealed'),
      links: z.int().describe('Sealed entries that are intact'),
      unsealed: z.int().describe('Entries not sealed yet'),
      head: z.string().nullable().describe('The newest seal as position:hash, to be stored elsewhere; null if there is none'),
      broken: z
        .strictObject({
          position: z.int().describe('Place in the chain'),
          audit_entry_id: z.int().describe('Id of the entry there'),
          reason: z.string().describe('Description of the problem'),
        })
        .nullable()
        .describe('The first broken place; null if there is none'),
      unverifiable_until: instant()
        .nullable()
        .describe('Until then, some entries cannot be verified because they were sealed under a lost master key; null if all can'),
    })
    .meta({ id: 'AuditVerification' }),
).meta({ id: 'AuditVerificationResponse' });

export const fromReport = ({ broken, links, unsealed, head, unverifiable }: ChainReport): z.input<typeof VerifyResponse> => ({
  data: {
    holds: broken === null,
    links,
    unsealed,
    head: head && `${head.position}:${head.hash}`,
    broken: broken && { position: Number(broken.position), audit_entry_id: Number(broken.auditEntryId), reason: broken.what },
    unverifiable_until: unverifiable && writeInstant(unverifiable.at),
  },
});
