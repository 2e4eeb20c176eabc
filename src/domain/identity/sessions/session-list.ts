import type { Db } from '../../../database/database.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller, CallerIdentity } from '../../caller.ts';
import { notFound } from '../../errors.ts';
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
export async function listSessions(db: Db, caller: CallerIdentity, page: PageRequest): Promise<Page<ShownSession>> {
  const where = whereOpenSession(caller);
  const [rows, total] = await Promise.all([
    db.session.findMany({ where, select: SHOWN, orderBy: [{ createdAt: 'desc' }, { id: 'asc' }], ...window(page) }),
    db.session.count({ where }),
  ]);
  const names = await appNames(
    db,
    rows.flatMap(({ clientId }) => clientId ?? []),
  );
  const toShownSession = (row: (typeof rows)[number]) => ({
    ...row,
    isCurrent: row.id === caller.sessionId,
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
export async function endOwnSession(db: Db, caller: Caller, id: string): Promise<void> {
  const { organizationId, userId } = caller;
  const found = await db.session.findFirst({ where: { ...whereOpenSession(caller), id }, select: { id: true } });
  if (!found || userId === null) throw notFound('session');
  await revokeSession(db, { organizationId, sessionId: id }, 'user');
  recordSignOut(caller, userId, 'of one device');
}

/** Ends all of the caller's own sessions but the present one, or with it. @returns the ids of those that ended */
export async function endOwnSessions(db: Db, caller: Caller, { includingCurrent }: { includingCurrent: boolean }): Promise<string[]> {
  const { organizationId, userId, sessionId } = caller;
  if (userId === null) return [];
  const ended = await endUserSessions(db, { organizationId, userId, except: includingCurrent ? null : sessionId }, 'user');
  recordSignOut(caller, userId, includingCurrent ? 'of all devices' : 'of all other devices');
  return ended;
}

function recordSignOut(caller: Caller, userId: number, detail: string): void {
  recordChange(caller, 'sign_out', { name: 'user.signed_out', id: userId }, [], detail);
}
