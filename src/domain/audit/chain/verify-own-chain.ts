import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import type { Caller } from '../../caller.ts';
import { Failure } from '../../errors.ts';
import { type ChainReport, verifyChain } from './verify-chain.ts';

/** Links that are verified within a request: some seconds. */
const MOST_LINKS = 200_000;

/** Verifies the chain of the caller's practice. @throws Failure unprocessable for one that takes longer than a request may */
export async function verifyOwnChain(db: Db, caller: Caller, keyring: Keyring): Promise<ChainReport> {
  const { organizationId } = caller;
  const query = { where: { organizationId }, orderBy: { position: 'desc' }, select: { position: true } } as const;
  const newest = await db.auditLink.findFirst(query);
  const checkpoint = await db.auditCheckpoint.findFirst(query);
  if ((newest?.position ?? 0n) - (checkpoint?.position ?? 0n) > MOST_LINKS)
    throw new Failure(
      'unprocessable',
      'chain_too_long',
      `The audit has more than ${MOST_LINKS} unarchived entries, too many for a request: the operator of this server can verify it on the command line.`,
    );
  const report = await verifyChain(db, keyring, organizationId);
  const detail = report.broken === null ? 'holds' : `broken at link ${report.broken.position}`;
  caller.journal.audits.push({ action: 'administer', resource: 'audit_chain', ids: [], detail });
  return report;
}
