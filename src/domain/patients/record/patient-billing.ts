import type { Db } from '../../../database/database.ts';
import type { Claim } from '../../../generated/prisma/client.ts';
import type { Caller } from '../../caller.ts';
import { Failure, invalid } from '../../errors.ts';

/** Amounts are dollars and cents, such as "-25.15"; below zero the practice owes. */
interface BalanceInput {
  amount?: string;
  collectionsAmount?: string;
  paymentPlanAmount?: string;
}

/** A permission to charge a card for a balance. */
interface Contract {
  contractClass: string;
  maxAmount: string;
  availableAmount: string;
}

/** Amounts that a patient owes a provider group. */
interface BalanceOfPatient {
  patientId: number;
  providerGroupId: number;
  input: BalanceInput;
  /** Replaces the one of its class. */
  contract: Contract | null;
  /** Whether a balance that is there takes these amounts. */
  replaces: boolean;
}

/** Sets balances of charts that are locked, one of each, and of groups that exist; a new balance begins at zero. Failures among them are passed on. */
export async function setBalances(
  db: Db,
  { organizationId }: Caller,
  balances: readonly (BalanceOfPatient | Failure)[],
): Promise<('created' | 'updated' | 'skipped' | Failure)[]> {
  const patientIds = balances.flatMap((one) => (one instanceof Failure ? [] : one.patientId));
  const existing = await db.balance.findMany({
    where: { organizationId, patientId: { in: patientIds } },
    select: { patientId: true, providerGroupId: true },
  });
  const outcomes = balances.map((one) => {
    if (one instanceof Failure) return one;
    const { patientId, providerGroupId, replaces } = one;
    if (!existing.some((other) => other.patientId === patientId && other.providerGroupId === providerGroupId)) return 'created';
    return replaces ? 'updated' : 'skipped';
  });
  const chooseBalances = (outcome: string) =>
    balances.flatMap((one, index) => (one instanceof Failure || outcomes[index] !== outcome ? [] : one));
  await db.balance.createMany({
    data: chooseBalances('created').map(({ patientId, providerGroupId, input }) => ({
      amount: '0',
      ...input,
      organizationId,
      patientId,
      providerGroupId,
    })),
  });
  for (const { patientId, providerGroupId, input } of chooseBalances('updated')) {
    const key = { organizationId, patientId, providerGroupId };
    await db.balance.update({ where: { organizationId_patientId_providerGroupId: key }, data: input });
  }
  const contracts = [...chooseBalances('created'), ...chooseBalances('updated')].flatMap(({ patientId, providerGroupId, contract }) =>
    contract ? { organizationId, patientId, providerGroupId, ...contract } : [],
  );
  for (const { maxAmount: _max, availableAmount: _available, ...key } of contracts) await db.balanceContract.deleteMany({ where: key });
  await db.balanceContract.createMany({ data: contracts });
  return outcomes;
}

/** A charge for a service to a patient. */
export interface ClaimOfPatient {
  patientId: number;
  providerGroupId: number;
  /** Midnight UTC. */
  serviceDate: Date;
  description: string | null;
  chargeAmount: string;
  /** The part that the patient still owes; absent: nothing of a new claim, unchanged in one that is there. */
  outstandingPatient?: string;
  /** The treatment of a row whose group, day, description and charge are those of a claim of the chart. */
  onMatch: 'skip' | 'update' | 'create';
}

/** Adds claims to charts that are locked, one to each, and of groups that exist. Failures among them are passed on. */
export async function setClaims(
  db: Db,
  { organizationId }: Caller,
  claims: readonly (ClaimOfPatient | Failure)[],
): Promise<('created' | 'updated' | 'skipped' | Failure)[]> {
  const given = claims.flatMap((one) => (one instanceof Failure ? [] : one));
  const existing = await db.claim.findMany({
    where: {
      organizationId,
      patientId: { in: given.map(({ patientId }) => patientId) },
      serviceDate: { in: given.map(({ serviceDate }) => serviceDate) },
    },
    orderBy: { id: 'asc' },
  });
  const matches = claims.map((one) =>
    one instanceof Failure || one.onMatch === 'create' ? [] : existing.filter((other) => isSameClaim(other, one)),
  );
  const outcomes = claims.map((one, index) => {
    if (one instanceof Failure) return one;
    const found = matches[index]?.length ?? 0;
    if (found === 0) return 'created';
    if (one.onMatch === 'skip') return 'skipped';
    return found === 1 ? 'updated' : invalid('serviceDate', `is that of ${found} claims of the same service`);
  });
  await db.claim.createMany({
    data: claims.flatMap((one, index) => {
      if (one instanceof Failure || outcomes[index] !== 'created') return [];
      const { onMatch: _onMatch, ...claim } = one;
      return { ...claim, organizationId };
    }),
  });
  for (const [index, one] of claims.entries()) {
    const id = matches[index]?.[0]?.id;
    if (one instanceof Failure || id === undefined || outcomes[index] !== 'updated') continue;
    const { outstandingPatient } = one;
    if (outstandingPatient !== undefined)
      await db.claim.update({ where: { organizationId_id: { organizationId, id } }, data: { outstandingPatient } });
  }
  return outcomes;
}

const isSameClaim = (known: Claim, { patientId, providerGroupId, serviceDate, description, chargeAmount }: ClaimOfPatient): boolean =>
  known.patientId === patientId &&
  known.providerGroupId === providerGroupId &&
  known.serviceDate.getTime() === serviceDate.getTime() &&
  known.description === description &&
  known.chargeAmount.equals(chargeAmount);
