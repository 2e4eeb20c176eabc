import type { Db } from '../../../database/database.ts';
import type { PortalAccount, PortalHolder } from '../../../generated/prisma/client.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict, Failure, missing, notFound } from '../../errors.ts';
import { holdChart, recordChartChange } from '../chart/chart.ts';
import { findPatient } from '../chart/find-patient.ts';

export type { PortalAccount };

/** Failed logins that block an account. */
const BLOCKED_AFTER = 5;

/** Steps of a portal account after access was given. */
export const PORTAL_STEPS = ['register', 'log-in', 'accept-terms', 'block', 'unblock'] as const;
export type PortalStep = (typeof PORTAL_STEPS)[number];

/**
 * Gives a patient, or a family member, access to the portal: an account to be registered.
 * @throws Failure not_found; conflict where they have access, or a restriction forbids an account
 */
export async function givePortalAccess(db: Db, caller: Caller, patientId: number, holder: PortalHolder): Promise<PortalAccount> {
  const { organizationId } = caller;
  await holdChart(db, caller, patientId);
  const key = { organizationId, patientId, holder };
  if (await db.portalAccount.findUnique({ where: { organizationId_patientId_holder: key }, select: { id: true } }))
    throw conflict('portal_access_given', 'They already have access.');
  await requirePortalAllowed(db, caller, patientId);
  const account = await db.portalAccount.create({ data: key });
  await db.patient.update({
    where: { organizationId_id: { organizationId, id: patientId } },
    data: { portalAccessGiven: true },
    select: { id: true },
  });
  recordChartChange(caller, patientId, 'portalAccounts', 'portalAccessGiven');
  return account;
}

/** @throws Failure conflict where a restriction forbids the patient the portal */
export async function requirePortalAllowed(db: Db, { organizationId }: Caller, patientId: number): Promise<void> {
  const forbidden = await db.privacyRestriction.findFirst({
    where: { organizationId, patientId, kind: 'portal', liftedAt: null },
    select: { id: true },
  });
  if (forbidden) throw conflict('portal_restricted', `Restriction ${forbidden.id} forbids a portal account. Lift it first.`);
}

/** Applies a step to a portal account. @throws Failure not_found where no access was given; conflict where the step does not follow */
export async function stepPortalAccount(
  db: Db,
  caller: Caller,
  patientId: number,
  { holder, step, at }: { holder: PortalHolder; step: PortalStep; at: Date },
): Promise<PortalAccount> {
  const { organizationId } = caller;
  await holdChart(db, caller, patientId);
  const where = { organizationId_patientId_holder: { organizationId, patientId, holder } };
  const account = await db.portalAccount.findUnique({ where });
  if (!account) throw notFound('portal account');
  const changed = await db.portalAccount.update({ where, data: STEPS[step](account, at) });
  if (step === 'accept-terms') {
    await db.patient.update({
      where: { organizationId_id: { organizationId, id: patientId } },
      data: { portalTermsOnFile: true },
      select: { id: true },
    });
  }
  recordChartChange(caller, patientId, 'portalAccounts', ...(step === 'accept-terms' ? ['portalTermsOnFile'] : []));
  return changed;
}

/** A portal account of another system. */
interface PortalAccountInput extends Record<'registeredAt' | 'lastLoginAt' | 'termsAcceptedAt', Date | null> {
  patientId: number;
  holder: PortalHolder;
  blocked: boolean;
  /** Whether an account that is there takes these values. */
  replaces: boolean;
}

/** Adds accounts of charts that are locked, one of each, by the rules of the steps. Failures among them are passed on. */
export async function addPortalAccounts(
  db: Db,
  { organizationId }: Caller,
  accounts: readonly (PortalAccountInput | Failure)[],
): Promise<('created' | 'updated' | 'skipped' | Failure)[]> {
  const patientIds = accounts.flatMap((one) => (one instanceof Failure ? [] : one.patientId));
  const where = { organizationId, patientId: { in: patientIds } };
  const [existing, forbidden] = await Promise.all([
    db.portalAccount.findMany({ where, select: { patientId: true, holder: true } }),
    db.privacyRestriction.findMany({ where: { ...where, kind: 'portal', liftedAt: null }, select: { patientId: true } }),
  ]);
  const outcomes = accounts.map((one) => {
    if (one instanceof Failure) return one;
    if (existing.some(({ patientId, holder }) => patientId === one.patientId && holder === one.holder))
      return one.replaces ? 'updated' : 'skipped';
    if (forbidden.some(({ patientId }) => patientId === one.patientId))
      return conflict('portal_restricted', 'A restriction forbids a portal account. Lift it first.');
    const isUsed = one.lastLoginAt !== null || one.termsAcceptedAt !== null || one.blocked;
    return isUsed && one.registeredAt === null ? missing('registeredAt') : 'created';
  });
  const toRows = (outcome: string) =>
    accounts.flatMap((one, index) => (one instanceof Failure || outcomes[index] !== outcome ? [] : { organizationId, ...toColumns(one) }));
  const created = toRows('created');
  await db.portalAccount.createMany({ data: created });
  for (const { patientId, holder, ...times } of toRows('updated'))
    await db.portalAccount.update({ where: { organizationId_patientId_holder: { organizationId, patientId, holder } }, data: times });
  const given = created.map(({ patientId }) => patientId);
  const accepted = created.flatMap(({ patientId, termsAcceptedAt }) => (termsAcceptedAt ? patientId : []));
  await db.patient.updateMany({ where: { organizationId, id: { in: given } }, data: { portalAccessGiven: true } });
  await db.patient.updateMany({ where: { organizationId, id: { in: accepted } }, data: { portalTermsOnFile: true } });
  return outcomes;
}

const toColumns = ({ blocked, replaces: _, ...account }: PortalAccountInput) => ({
  ...account,
  ...(blocked ? { blockedAt: new Date(), failedLogins: BLOCKED_AFTER } : {}),
});

/** The portal accounts of a patient. @throws Failure not_found */
export async function listPortalAccounts(db: Db, caller: Caller, patientId: number): Promise<PortalAccount[]> {
  await findPatient(db, caller, patientId);
  recordRead(caller, 'patient', [patientId]);
  return db.portalAccount.findMany({ where: { organizationId: caller.organizationId, patientId }, orderBy: { id: 'asc' } });
}

type Changes = Partial<Pick<PortalAccount, 'registeredAt' | 'lastLoginAt' | 'failedLogins' | 'blockedAt' | 'termsAcceptedAt'>>;

const STEPS: Readonly<Record<PortalStep, (account: PortalAccount, at: Date) => Changes>> = {
  register: ({ registeredAt }, at) => {
    if (registeredAt) throw conflict('portal_registered', 'The account is already registered.');
    return { registeredAt: at };
  },
  'log-in': (account, at) => {
    requireRegistered(account);
    if (account.blockedAt) throw conflict('portal_blocked', 'The account is blocked. Unblock it first.');
    return { lastLoginAt: at, failedLogins: 0 };
  },
  'accept-terms': (account, at) => {
    requireRegistered(account);
    return { termsAcceptedAt: at };
  },
  block: (account, at) => {
    requireRegistered(account);
    return { blockedAt: at, failedLogins: BLOCKED_AFTER };
  },
  unblock: () => ({ blockedAt: null, failedLogins: 0 }),
};

function requireRegistered({ registeredAt }: PortalAccount): void {
  if (!registeredAt) throw conflict('portal_not_registered', 'The account is not registered yet.');
}
