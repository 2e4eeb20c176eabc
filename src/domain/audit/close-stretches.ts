import { createHash } from 'node:crypto';
import type { Db } from '../../database/database.ts';
import type { Keyring } from '../../database/keyring.ts';
import { preparedIn } from '../../database/statement.ts';
import type { Caller } from '../caller.ts';
import { Failure } from '../errors.ts';
import { adoptHead } from './chain-heads.ts';
import { lockChain } from './chain-lock.ts';
import { keepExplanation } from './explanations.ts';
import { type ForeignStretch, findForeignStretches } from './foreign-stretches.ts';

/** The words of an explanation, and whose they are. */
interface Words {
  reason: string;
  operator: string;
  at: Date;
}

/** A short word for exactly these stretches, which an operator repeats to confirm that they are meant. */
export function codeOf(stretches: readonly ForeignStretch[]): string {
  const hash = createHash('sha256');
  for (const { first, last, digest } of stretches) hash.update(`${first}-${last} `).update(digest);
  return hash.digest('hex').slice(0, 12);
}

/**
 * Explains the stretches of the caller's practice that were sealed under keys that nobody has: each gets a record with a MAC under
 * the current master key, and an entry of the audit, which is sealed like any other. The head of the chain is put under that key,
 * so that the sealer goes on behind it. Nothing is changed in the stretches.
 * @param code of the stretches that are meant, from codeOf
 * @throws Failure unavailable while the chain is being sealed, conflict where there are other stretches by now; AuditChainError
 *   where something was altered
 */
export async function closeStretches(db: Db, caller: Caller, keyring: Keyring, code: string, words: Words): Promise<ForeignStretch[]> {
  const { organizationId } = caller;
  const prepared = preparedIn(db);
  if (!(await lockChain(prepared, organizationId)))
    throw new Failure('unavailable', 'chain_in_use', 'The chain is being sealed just now. Run the command again.');
  const { stretches, foreignHead } = await findForeignStretches(db, keyring, organizationId);
  if (codeOf(stretches) !== code)
    throw new Failure('conflict', 'chain_changed', 'The chain has changed since it was shown. Run the command without --confirm.');
  // A former explanation that is left does not hold: it would be read instead of the new one.
  for (const { first, last } of stretches)
    await db.auditExplanation.deleteMany({ where: { organizationId, firstPosition: { gte: first, lte: last } } });
  for (const { first, last, sealedUnder, digest } of stretches) {
    await keepExplanation(db, keyring, { organizationId, first, last, sealedUnder, digest, ...words });
    caller.journal.audits.push({
      ...{ action: 'administer', resource: 'audit_chain', ids: [] },
      detail: `links ${first} to ${last} explained, sealed under ${sealedUnder}, SHA-256 ${digest.toString('hex')}: ${words.reason}`,
    });
  }
  if (foreignHead) await adoptHead(prepared, keyring, foreignHead);
  return stretches;
}
