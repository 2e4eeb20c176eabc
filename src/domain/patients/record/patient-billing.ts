import type { Claim } from '../../../generated/prisma/client.ts';
import { Failure, invalid } from '../../errors.ts';
import type { Tx } from '../../tx.ts';

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
  tx: Tx,
  balances: readonly (BalanceOfPatient | Failure)[],
): Promise<('created' | 'updated' | 'skipped' | Failure)[]> {
  const patientIds = balances.flatMap((one) => (one instanceof Failure ? [] : one.patientId));
  const existing = await tx.prisma.balance.findMany({
    where: { ...tx.practice, patientId: { in: patientIds } },
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
  await tx.prisma.balance.createMany({
    data: chooseBalances('created').map(({ patientId, providerGroupId, input }) => ({
      amount: '0',
      ...input,
      ...tx.practice,
      patientId,
      providerGroupId,
    })),
  });
  for (const { patientId, providerGroupId, input } of chooseBalances('updated')) {
    const key = { ...tx.practice, patientId, providerGroupId };
    await tx.prisma.balance.update({ where: { organizationId_patientId_providerGroupId: key }, data: input });
  }
  const contracts = [...chooseBalances('created'), ...chooseBalances('updated')].flatMap(({ patientId, providerGroupId, contract }) =>
    contract ? { ...tx.practice, patientId, providerGroupId, ...contract } : [],
  );
  for (const { maxAmount: _max, availableAmount: _available, ...key } of contracts)
    await tx.prisma.balanceContract.deleteMany({ where: key });
  await tx.prisma.balanceContract.createMany({ data: contracts });
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
  tx: Tx,
  claims: readonly (ClaimOfPatient | Failure)[],
): Promise<('created' | 'updated' | 'skipped' | Failure)[]> {
  const given = claims.flatMap((one) => (one instanceof Failure ? [] : one));
  const existing = await tx.prisma.claim.findMany({
    where: {
      ...tx.practice,
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
  await tx.prisma.claim.createMany({
    data: claims.flatMap((one, index) => {
      if (one instanceof Failure || outcomes[index] !== 'created') return [];
      const { onMatch: _onMatch, ...claim } = one;
      return { ...claim, ...tx.practice };
    }),
  });
  for (const [index, one] of claims.entries()) {
    const id = matches[index]?.[0]?.id;
    if (one instanceof Failure || id === undefined || outcomes[index] !== 'updated') continue;
    const { outstandingPatient } = one;
    if (outstandingPatient !== undefined) await tx.prisma.claim.update({ where: tx.key(id), data: { outstandingPatient } });
  }
  return outcomes;
}

const isSameClaim = (known: Claim, { patientId, providerGroupId, serviceDate, description, chargeAmount }: ClaimOfPatient): boolean =>
  known.patientId === patientId &&
  known.providerGroupId === providerGroupId &&
  known.serviceDate.getTime() === serviceDate.getTime() &&
  known.description === description &&
  known.chargeAmount.equals(chargeAmount);
