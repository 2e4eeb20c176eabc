import type { Db } from '../../../database/database.ts';

export interface AccountKey {
  organizationId: number;
  userId: number;
}

/** The epoch of an account. Steps of a sign-in that began in an earlier one are void. */
export async function readSignInEpoch(db: Db, { organizationId, userId: id }: AccountKey): Promise<number> {
  const where = { organizationId_id: { organizationId, id } };
  return (await db.user.findUniqueOrThrow({ where, select: { signInEpoch: true } })).signInEpoch;
}

/** The same, which stays until the transaction ends; null for a user who is gone. */
export async function lockSignInEpoch(db: Db, { organizationId, userId }: AccountKey): Promise<number | null> {
  const [row] = await db.$queryRaw<{ epoch: number }[]>`
    SELECT sign_in_epoch AS epoch FROM "user" WHERE organization_id = ${organizationId}::int AND id = ${userId}::int FOR NO KEY UPDATE`;
  return row?.epoch ?? null;
}

/** Begins another epoch, and makes other changes of the account wait until the transaction ends. */
export async function raiseSignInEpoch(db: Db, { organizationId, userId }: AccountKey): Promise<void> {
  await db.$executeRaw`
    UPDATE "user" SET sign_in_epoch = sign_in_epoch + 1 WHERE organization_id = ${organizationId}::int AND id = ${userId}::int`;
}
