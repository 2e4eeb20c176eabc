import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { readAuditRange } from '../../../domain/audit/chain/audit-range.ts';
import { verifyOwnChain } from '../../../domain/audit/chain/verify-own-chain.ts';
import { findPracticeClient } from '../../../domain/identity/clients/practice-clients.ts';
import { type AuditPage, type AuditSearch, searchAudit } from '../../../domain/logs/audit-search.ts';
import { organizationZone } from '../../../domain/practices/organization-zone.ts';
import type { Tx } from '../../../domain/tx.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { table } from '../../../http/endpoints/run/csv-endpoint.ts';
import { AUDIT_TABLE_ROWS, toAuditTable } from '../../../http/wire/audit-table.ts';
import { linkToOlder } from '../../../http/wire/links.ts';
import { AuditList, auditQuery, fromEntry, fromReport, VerifyResponse } from './audit.wire.ts';

const AUDIT = { tag: 'Audit', beyondDocument: true } as const;

type Query = z.output<typeof auditQuery>;

/** The audit of the practice, and the proof that nothing of it was changed. */
export function auditRoutes({ download, post }: Endpoints, { keyring }: { keyring: Keyring }): void {
  download(
    '/audit',
    table({
      ...AUDIT,
      operationId: 'listAudit',
      summary: 'List audit entries of the practice',
      description: `Newest first; filter by patient, user, API client, action and days. Restricted charts are not named. The CSV format returns up to ${AUDIT_TABLE_ROWS} entries. Reading the audit is audited.`,
      query: auditQuery,
      response: AuditList,
      handle: async ({ tx, query, request }) => writeAudit(request, await readAudit(tx, query, query.limit)),
      table: async ({ tx, query }) => ({
        fileName: 'audit.csv',
        rows: toAuditTable((await readAudit(tx, query, AUDIT_TABLE_ROWS)).entries),
      }),
    }),
  );

  post('/audit/verify', {
    ...AUDIT,
    operationId: 'verifyAudit',
    summary: 'Verify that no audit entry was changed',
    description:
      'Verifies the chain of seals of the practice and reports the first broken place. 422 `chain_too_long` for more than 200,000 entries, which only the operator of the server can verify.',
    response: VerifyResponse,
    handle: async ({ tx }) => fromReport(await verifyOwnChain(tx, keyring)),
  });
}

async function readAudit(tx: Tx, query: Query, limit: number): Promise<AuditPage> {
  return searchAudit(tx, await toSearch(tx, query, limit));
}

async function toSearch(tx: Tx, query: Query, limit: number): Promise<AuditSearch> {
  const { patient: patientId, user, client, action, before, from, to } = query;
  const range = await readAuditRange({ from, to, patientId }, () => organizationZone(tx));
  const actor = client === undefined ? undefined : `client:${(await findPracticeClient(tx, client)).clientId}`;
  return { patientId, actor: user === undefined ? actor : `user:${user}`, action, range, before, limit };
}

const writeAudit = (request: FastifyRequest, { entries, next }: AuditPage) => ({
  data: entries.map(fromEntry),
  links: { next: linkToOlder(request, next) },
});
