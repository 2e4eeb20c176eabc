import type { Db } from '../../../database/database.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller, CallerIdentity } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import type { IdentityTx, Tx } from '../../tx.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import { endUserSessions, revokeSession } from './session-ends.ts';

const SHOWN = {
  id: true,
  kind: true,
  methods: true,
  createdAt: true,
  lastUsedAt: true,
  expiresAt: true,
  address: true,
  userAgent: true,
  clientId: true,
  scopes: true,
} as const satisfies Prisma.SessionSelect;

export type ShownSession = Prisma.SessionGetPayload<{ select: typeof SHOWN }> & {
  isCurrent: boolean;
  /** Name of the registered app that has it; null for none. */
  app: string | null;
};

const whereOpenSession = ({ organizationId, userId }: CallerIdentity) => ({
  organizationId,
  userId: userId ?? 0,
  revokedAt: null,
  expiresAt: { gt: new Date() },
});

/** The caller's own open sessions, newest first. */
export async function listSessions(tx: IdentityTx, page: PageRequest): Promise<Page<ShownSession>> {
  const where = whereOpenSession(tx);
  const [rows, total] = await Promise.all([
    tx.prisma.session.findMany({ where, select: SHOWN, orderBy: [{ createdAt: 'desc' }, { id: 'asc' }], ...window(page) }),
    tx.prisma.session.count({ where }),
  ]);
  const names = await appNames(
    tx.prisma,
    rows.flatMap(({ clientId }) => clientId ?? []),
  );
  const toShownSession = (row: (typeof rows)[number]) => ({
    ...row,
    isCurrent: row.id === tx.sessionId,
    app: row.clientId === null ? null : (names.get(row.clientId) ?? null),
  });
  return { ...page, items: rows.map(toShownSession), total };
}

async function appNames(db: Db, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const apps = await db.apiClient.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } });
  return new Map(apps.map(({ id, name }) => [id, name]));
}

/** Ends one of the caller's own sessions. @throws Failure not_found, also for another user's */
export async function endOwnSession(tx: Tx, id: string): Promise<void> {
  const { userId } = tx;
  const found = await tx.prisma.session.findFirst({ where: { ...whereOpenSession(tx), id }, select: { id: true } });
  if (!found || userId === null) throw notFound('session');
  await revokeSession(tx.prisma, { ...tx.practice, sessionId: id }, 'user');
  recordSignOut(tx, userId, 'of one device');
}

/** Ends all of the caller's own sessions but the present one, or with it. @returns the ids of those that ended */
export async function endOwnSessions(tx: Tx, { includingCurrent }: { includingCurrent: boolean }): Promise<string[]> {
  const { userId, sessionId } = tx;
  if (userId === null) return [];
  const ended = await endUserSessions(tx.prisma, { ...tx.practice, userId, except: includingCurrent ? null : sessionId }, 'user');
  recordSignOut(tx, userId, includingCurrent ? 'of all devices' : 'of all other devices');
  return ended;
}

function recordSignOut(caller: Caller, userId: number, detail: string): void {
  recordChange(caller, 'sign_out', { name: 'user.signed_out', id: userId }, [], detail);
}
