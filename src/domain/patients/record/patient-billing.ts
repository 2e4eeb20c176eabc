import type { Db } from '../../../database/database.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { Failure, notFound } from '../../errors.ts';
import { findProviderGroup } from '../../practices/providers/provider-groups.ts';
import type { Slice } from '../../values/paging.ts';
import { holdChart, recordChartChange } from '../chart/chart.ts';
import { findPatient } from '../chart/find-patient.ts';

const WITH_CONTRACTS = { contracts: { orderBy: { id: 'asc' } } } as const satisfies Prisma.BalanceInclude;
/** A patient's balance with one provider group, with the contracts that permit charging a card. */
export type Balance = Prisma.BalanceGetPayload<{ include: typeof WITH_CONTRACTS }>;
export type Claim = Prisma.ClaimGetPayload<object>;

/** Amounts are dollars and cents, such as "-25.15"; below zero the practice owes. */
interface BalanceInput {
  amount?: string;
  collectionsAmount?: string;
  paymentPlanAmount?: string;
}

export interface ContractInput {
  contractClass: 'ONEYEAR' | 'SINGLEAPPOINTMENT';
  maxAmount: string;
  availableAmount: string;
}

export interface ClaimInput {
  providerGroupId: number;
  /** Midnight UTC. */
  serviceDate: Date;
  description?: string;
  chargeAmount: string;
  outstandingPatient?: string;
}

/** Amounts that a patient owes a provider group. */
interface BalanceOfPatient {
  patientId: number;
  providerGroupId: number;
  input: BalanceInput;
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
  return outcomes;
}

/**
 * Adds a contract to a balance, or changes the one of its class. @throws Failure not_found, also where there is no balance
 */
export async function setContract(
  db: Db,
  caller: Caller,
  patientId: number,
  providerGroupId: number,
  { contractClass, ...amounts }: ContractInput,
): Promise<Balance> {
  const { organizationId } = caller;
  await holdChart(db, caller, patientId);
  const key = { organizationId, patientId, providerGroupId };
  const where = { organizationId_patientId_providerGroupId: key };
  if (!(await db.balance.findUnique({ where, select: { patientId: true } }))) throw notFound('balance');
  const { count } = await db.balanceContract.updateMany({ where: { ...key, contractClass }, data: amounts });
  if (count === 0) await db.balanceContract.create({ data: { ...key, contractClass, ...amounts } });
  recordChartChange(caller, patientId, 'balances');
  return db.balance.findUniqueOrThrow({ where, include: WITH_CONTRACTS });
}

/** @throws Failure not_found */
export async function addClaim(db: Db, caller: Caller, patientId: number, input: ClaimInput): Promise<Claim> {
  await holdChart(db, caller, patientId);
  await findProviderGroup(db, caller, input.providerGroupId);
  const claim = await db.claim.create({ data: { ...input, organizationId: caller.organizationId, patientId } });
  recordChartChange(caller, patientId, 'claims');
  return claim;
}

/** The claims of a patient, by id. @throws Failure not_found */
export async function listClaims(db: Db, caller: Caller, patientId: number, { after, limit }: Slice): Promise<Claim[]> {
  const { organizationId } = caller;
  await findPatient(db, caller, patientId);
  recordRead(caller, 'patient', [patientId]);
  return db.claim.findMany({ where: { organizationId, patientId, id: { gt: after } }, orderBy: { id: 'asc' }, take: limit });
}
