import type { Db } from '../../database/database.ts';
import { overAllPractices } from '../../database/statements/all-practices.ts';
import type { CallerIdentity } from '../caller.ts';
import { type FailureGroup, groupFailures } from '../identity/clients/client-requests.ts';
import { findPracticeClient } from '../identity/clients/practice-clients.ts';
import type { Tx } from '../tx.ts';
import { type AccountMailDeps, type AccountMailWords, findMailedUser, mailUser } from './account-mails.ts';

const WEEK_MS = 7 * 86_400_000;

/** A mail a week about the failed requests of a client, which an administrator has asked for. */
interface Digest {
  organizationId: number;
  clientId: string;
  userId: number;
}

const toKey = ({ organizationId, userId }: CallerIdentity, clientId: string): Digest => ({ organizationId, clientId, userId: userId ?? 0 });

export const hasDigest = async (tx: Tx, clientId: string): Promise<boolean> =>
  (await tx.prisma.requestDigest.count({ where: toKey(tx, clientId) })) > 0;

/** Gives the caller the mails about a client from a week later on, or ends them. */
export async function orderDigest(tx: Tx, clientId: string, isWanted: boolean): Promise<void> {
  const digest = toKey(tx, clientId);
  if (!isWanted) await tx.prisma.requestDigest.deleteMany({ where: digest });
  else if (!(await hasDigest(tx, clientId)))
    await tx.prisma.requestDigest.create({ data: { ...digest, nextAt: new Date(Date.now() + WEEK_MS) } });
}

export const listDueDigests = (db: Db, most: number): Promise<Digest[]> => db.$queryRaw<Digest[]>`
  SELECT organization_id AS "organizationId", client_id AS "clientId", user_id AS "userId" FROM request_digest
   WHERE next_at <= now() ORDER BY next_at LIMIT ${most}::int ${overAllPractices('the job looks for what is due')}`;

/** Sends a mail that is due, unless nothing failed, or its reader is no administrator any more. */
export async function sendDigest(tx: Tx, deps: AccountMailDeps, { organizationId, clientId, userId }: Digest): Promise<void> {
  const due = { organizationId, clientId, userId, nextAt: { lte: new Date() } };
  const { count } = await tx.prisma.requestDigest.updateMany({ where: due, data: { nextAt: new Date(Date.now() + WEEK_MS) } });
  const reader = { organizationId, id: userId, type: 'admin', active: true } as const;
  if (count === 0 || (await tx.prisma.user.count({ where: reader })) === 0) return;
  const failures = await groupFailures(tx, clientId);
  const to = await findMailedUser(tx, userId);
  if (failures.length === 0 || !to) return;
  const grant = await tx.prisma.apiClientGrant.findUniqueOrThrow({ where: { organizationId_clientId: { organizationId, clientId } } });
  const { id, name } = await findPracticeClient(tx, grant.userId);
  const words = digestMail(name, failures.map(writeLine).join('\n'));
  await mailUser(tx, deps, to, { words, path: `/administration/clients/${id}/requests` });
}

const writeLine = ({ count, status, code, operation }: FailureGroup): string => `${count} × ${status} ${code ?? ''}  ${operation}`;

/** @param failures of a week, one a line */
const digestMail = (client: string, failures: string): AccountMailWords => ({
  en: ({ firstName, practiceName }) => ({
    subject: 'Failed requests of an application',
    body: `Hello ${firstName},

These requests of ${client} at ${practiceName} failed in the last seven days:

${failures}

To see what they mean, or to stop these mails:

{{url}}`,
  }),
  es: ({ firstName, practiceName }) => ({
    subject: 'Peticiones fallidas de una aplicación',
    body: `Hola, ${firstName}:

Estas peticiones de ${client} en ${practiceName} fallaron en los últimos siete días:

${failures}

Qué significan y cómo dejar de recibir estos correos:

{{url}}`,
  }),
});
