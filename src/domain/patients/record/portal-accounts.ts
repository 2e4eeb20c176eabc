import type { PortalHolder } from '../../../generated/prisma/client.ts';
import { conflict, Failure, missing } from '../../errors.ts';
import type { Tx } from '../../tx.ts';

/** Failed logins that block an account. */
const BLOCKED_AFTER = 5;

/** @throws Failure conflict where a restriction forbids the patient the portal */
export async function requirePortalAllowed(tx: Tx, patientId: number): Promise<void> {
  const forbidden = await tx.prisma.privacyRestriction.findFirst({
    where: { ...tx.practice, patientId, kind: 'portal', liftedAt: null },
    select: { id: true },
  });
  if (forbidden) throw conflict('portal_restricted', `Restriction ${forbidden.id} forbids a portal account. Lift it first.`);
}

/** A portal account of another system. Of an account that is there, a time that is absent stays, and null clears it. */
interface PortalAccountInput extends Partial<Record<'registeredAt' | 'lastLoginAt' | 'termsAcceptedAt', Date | null>> {
  patientId: number;
  holder: PortalHolder;
  /** Absent: as it is; a new account is not blocked. */
  blocked?: boolean;
  /** Whether an account that is there takes these values. */
  replaces: boolean;
}

/** Adds and changes accounts of charts that are locked, one of each; whoever used an account is registered. Failures among them are passed on. */
export async function addPortalAccounts(
  tx: Tx,
  accounts: readonly (PortalAccountInput | Failure)[],
): Promise<('created' | 'updated' | 'skipped' | Failure)[]> {
  const patientIds = accounts.flatMap((one) => (one instanceof Failure ? [] : one.patientId));
  const where = { ...tx.practice, patientId: { in: patientIds } };
  const [existing, forbidden] = await Promise.all([
    tx.prisma.portalAccount.findMany({ where, select: { patientId: true, holder: true, registeredAt: true } }),
    tx.prisma.privacyRestriction.findMany({ where: { ...where, kind: 'portal', liftedAt: null }, select: { patientId: true } }),
  ]);
  const outcomes = accounts.map((one) => {
    if (one instanceof Failure) return one;
    const account = existing.find(({ patientId, holder }) => patientId === one.patientId && holder === one.holder);
    if (account && !one.replaces) return 'skipped';
    if (!account && forbidden.some(({ patientId }) => patientId === one.patientId))
      return conflict('portal_restricted', 'A restriction forbids a portal account. Lift it first.');
    const { registeredAt = account?.registeredAt } = one;
    if ((one.lastLoginAt || one.termsAcceptedAt || one.blocked) && !registeredAt) return missing('registeredAt');
    return account ? 'updated' : 'created';
  });
  const toRows = (outcome: string) =>
    accounts.flatMap((one, index) => (one instanceof Failure || outcomes[index] !== outcome ? [] : { ...tx.practice, ...toColumns(one) }));
  const [created, updated] = [toRows('created'), toRows('updated')];
  await tx.prisma.portalAccount.createMany({ data: created });
  for (const { patientId, holder, ...times } of updated)
    await tx.prisma.portalAccount.update({
      where: { organizationId_patientId_holder: { ...tx.practice, patientId, holder } },
      data: times,
    });
  const given = created.map(({ patientId }) => patientId);
  const accepted = [...created, ...updated].flatMap(({ patientId, termsAcceptedAt }) => (termsAcceptedAt ? patientId : []));
  await tx.prisma.patient.updateMany({ where: { ...tx.practice, id: { in: given } }, data: { portalAccessGiven: true } });
  await tx.prisma.patient.updateMany({ where: { ...tx.practice, id: { in: accepted } }, data: { portalTermsOnFile: true } });
  return outcomes;
}

const toColumns = ({ blocked, replaces: _, ...account }: PortalAccountInput) => ({
  ...account,
  ...(blocked === true ? { blockedAt: new Date(), failedLogins: BLOCKED_AFTER } : {}),
  ...(blocked === false ? { blockedAt: null, failedLogins: 0 } : {}),
});
