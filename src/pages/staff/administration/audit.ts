import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { readAuditRange } from '../../../domain/audit/chain/audit-range.ts';
import { verifyOwnChain } from '../../../domain/audit/chain/verify-own-chain.ts';
import { findPracticeClient, listPracticeClients } from '../../../domain/identity/clients/practice-clients.ts';
import { AUDIT_ACTIONS } from '../../../domain/journal.ts';
import { type AuditPage, searchAudit } from '../../../domain/logs/audit-search.ts';
import { requireLinkPractice } from '../../../domain/practices/link-practice.ts';
import { organizationZone } from '../../../domain/practices/organization-zone.ts';
import type { Tx } from '../../../domain/tx.ts';
import { listUsers } from '../../../domain/users/users.ts';
import { attachmentNamed } from '../../../http/endpoints/run/downloads.ts';
import { toFailure } from '../../../http/errors/error-mapping.ts';
import { readInput } from '../../../http/input/input.ts';
import { AUDIT_TABLE_ROWS, toAuditTable } from '../../../http/wire/audit-table.ts';
import { writeCsv } from '../../../http/wire/csv.ts';
import { dateBound, id, longId, optional } from '../../../http/wire/wire-types.ts';
import { sendPage } from '../../design/layout/page.ts';
import type { RefusedForm } from '../forms/form-state.ts';
import { newsIn, requireAdmin, toRefusedForm } from '../forms/run-form.ts';
import { confirmAddress } from '../sign-in/confirm.ts';
import type { StaffPageDeps } from '../sign-in/staff-page-deps.ts';
import { type AuditView, auditPage, type Names, type Verdict, writeQuery } from './audit-view.ts';

const ADDRESS = '/administration/audit';
const PAGE_ROWS = 50;
const ALL_CLIENTS = { page: 1, limit: 1_000 };
const AuditQuery = z.object({
  patient: optional(id()),
  user: optional(id()),
  client: optional(id()),
  action: optional(z.enum(AUDIT_ACTIONS)),
  from: optional(dateBound()),
  to: optional(dateBound()),
  before: longId().optional().catch(undefined),
});
const typed = z.string().max(40).default('').catch('');
const TypedQuery = z.object({ patient: typed, user: typed, client: typed, action: typed, from: typed, to: typed, before: typed });

const NOTHING: AuditPage = { entries: [], next: null };

/** The audit of the practice. To be registered in a staffScope. */
export function auditPages(app: FastifyInstance, deps: StaffPageDeps): void {
  const { unitOfWork, keyring } = deps;
  const show = (request: FastifyRequest, verdict?: Verdict): Promise<string> =>
    unitOfWork.read(requireAdmin(request), async (tx) => {
      const practice = await requireLinkPractice(tx);
      const filter = TypedQuery.parse(request.query);
      const names = await readNames(tx);
      return auditPage({ practice, filter, names, ...(await find(tx, request)), verdict, news: newsIn(request, {}) });
    });

  app.get(ADDRESS, async (request, reply) => sendPage(reply, await show(request)));

  app.get(`${ADDRESS}.csv`, async (request, reply) => {
    const admin = requireAdmin(request);
    const back = `${ADDRESS}?${writeQuery({ ...TypedQuery.parse(request.query), done: 'confirmed' })}`;
    const confirm = await confirmAddress(deps, request, back);
    if (confirm !== null) return reply.redirect(confirm, 303);
    const { entries } = await unitOfWork.read(admin, (tx) => search(tx, request, AUDIT_TABLE_ROWS));
    const headers = { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': attachmentNamed('audit.csv') };
    return reply.headers(headers).send(writeCsv(toAuditTable(entries)));
  });

  app.post(`${ADDRESS}/verify`, async (request, reply) => {
    const report = await unitOfWork.write(requireAdmin(request), (tx) => verifyOwnChain(tx, keyring));
    return sendPage(reply, await show(request, report));
  });
}

/** The entries that the filter finds, or the reason for which it is refused. */
async function find(tx: Tx, request: FastifyRequest): Promise<Pick<AuditView, 'found' | 'refused'>> {
  try {
    return { found: await search(tx, request, PAGE_ROWS) };
  } catch (error) {
    const failure = toFailure(error);
    if (failure.kind !== 'invalid' && failure.kind !== 'not_found') throw error;
    return { found: NOTHING, refused: toRefusedFilter(request, failure) };
  }
}

const toRefusedFilter = (request: FastifyRequest, failure: RefusedForm['failure']): RefusedForm => ({
  ...toRefusedForm(request, failure),
  sent: TypedQuery.parse(request.query),
});

/** @throws Failure invalid naming the field of the filter; not_found for a client of other practices */
async function search(tx: Tx, request: FastifyRequest, limit: number): Promise<AuditPage> {
  const { patient, user, client, action, from, to, before } = readInput(AuditQuery, request.query);
  const patientId = patient ?? undefined;
  const range = await readAuditRange({ from: from ?? undefined, to: to ?? undefined, patientId }, () => organizationZone(tx));
  const ofClient = client ? `client:${(await findPracticeClient(tx, client)).clientId}` : undefined;
  return searchAudit(tx, { patientId, actor: user ? `user:${user}` : ofClient, action: action ?? undefined, range, before, limit });
}

/** The names of those who may have done something, for the filter and for the entries. */
async function readNames(tx: Tx): Promise<Names> {
  const users = (await listUsers(tx)).filter(({ type }) => type !== 'interface');
  const clients = await listPracticeClients(tx, ALL_CLIENTS);
  return {
    users: users.map(({ id: userId, firstName, lastName }) => ({ id: userId, actor: `user:${userId}`, name: `${firstName} ${lastName}` })),
    clients: clients.items.map(({ id: clientId, clientId: actorId, name }) => ({ id: clientId, actor: `client:${actorId}`, name })),
  };
}
